// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { openAccountsFile, type Call } from './accounts-file.ts';
import { whyUnusable } from './unusable.ts';

/** The first message of this thread: whether the file could be opened. Each later one is the outcomes of the calls it was sent. */
export type Opening = { readonly unusable?: string; readonly cause?: unknown };

const path = String(workerData);

function open() {
  try {
    return openAccountsFile(path);
  } catch (cause) {
    parentPort?.postMessage({ unusable: whyUnusable(path, cause), cause } satisfies Opening);
    return undefined;
  }
}

const file = open();
if (file) {
  parentPort?.on('message', (calls: readonly Call[] | 'close') => {
    if (calls !== 'close') return parentPort?.postMessage(file.commit(calls));
    file.close();
    parentPort?.close();
  });
  parentPort?.postMessage({} satisfies Opening);
  flushCompileCache(); // what `main.ts` keeps is the other thread's
}
