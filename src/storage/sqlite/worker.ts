// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { openLedgerFile, type LedgerFile } from './ledger-file.ts';
import { WatchesFile } from './sql-file.ts';
import type { ThreadReply, ThreadFile } from './thread.ts';

const { kind, path } = workerData as ThreadFile;

/** Returns what `work` returns or throws, in the form of an answer. */
function answerOf(work: () => unknown): ThreadReply {
  try {
    return { value: work() };
  } catch (failure) {
    return { failure };
  }
}

let file: LedgerFile | WatchesFile | undefined;
const opened = answerOf(() => {
  file = kind === 'ledger' ? openLedgerFile(path) : new WatchesFile(path);
});
if (file)
  parentPort?.on('message', (message) => {
    if (message !== 'close') return parentPort?.postMessage(answerOf(() => file?.answer(message)));
    file?.close();
    parentPort?.close();
  });
parentPort?.postMessage(opened);
flushCompileCache(); // the cache of `main.ts` covers only the main thread
