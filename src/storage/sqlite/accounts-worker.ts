// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { AccountsFile, type TableCall } from './accounts-file.ts';
import { describeSqliteOpenError } from './open-error.ts';

/**
 * The first message of this thread: whether the file could be opened. Each later message contains
 * the results of the calls in one message to it: a single read, or several changes that are
 * committed together.
 */
export type OpenResult = { readonly openError?: string; readonly cause?: unknown };

const path = String(workerData);

function open() {
  try {
    return new AccountsFile(path);
  } catch (cause) {
    parentPort?.postMessage({
      openError: describeSqliteOpenError(path, cause),
      cause,
    } satisfies OpenResult);
    return undefined;
  }
}

const file = open();
if (file) {
  parentPort?.on('message', (message: TableCall | readonly TableCall[] | 'close') => {
    if (message === 'close') {
      file.close();
      parentPort?.close();
    } else {
      parentPort?.postMessage('method' in message ? [file.read(message)] : file.commit(message));
    }
  });
  parentPort?.postMessage({} satisfies OpenResult);
  flushCompileCache(); // the cache of `main.ts` covers only the main thread
}
