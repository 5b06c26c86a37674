// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { AccountsFile, type Call } from './accounts-file.ts';
import { whyUnusable } from '../open-error.ts';

/**
 * The first message of this thread: whether the file could be opened. Each later one is the outcomes of the calls that it was sent: one that
 * reads, or several that change something, which are committed together.
 */
export type Opening = { readonly unusable?: string; readonly cause?: unknown };

const path = String(workerData);

function open() {
  try {
    return new AccountsFile(path);
  } catch (cause) {
    parentPort?.postMessage({ unusable: whyUnusable(path, cause), cause } satisfies Opening);
    return undefined;
  }
}

const file = open();
if (file) {
  parentPort?.on('message', (message: Call | readonly Call[] | 'close') => {
    if (message === 'close') {
      file.close();
      parentPort?.close();
    } else {
      parentPort?.postMessage('method' in message ? [file.read(message)] : file.commit(message));
    }
  });
  parentPort?.postMessage({} satisfies Opening);
  flushCompileCache(); // what `main.ts` keeps is the other thread's
}
