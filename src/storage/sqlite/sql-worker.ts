// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { parentPort, workerData } from 'node:worker_threads';
import { SqlFile, type SqlCall, type SqlResult } from './sql-file.ts';

const file = open();

if (file) {
  parentPort?.on('message', (message: SqlCall | 'close') => {
    if (message !== 'close') return parentPort?.postMessage(file.run(message));
    file.close();
    parentPort?.close();
  });
  parentPort?.postMessage({ rows: [] } satisfies SqlResult);
}

/** Opens the file. The first message of this thread says whether that succeeded. */
function open(): SqlFile | undefined {
  try {
    return new SqlFile(String(workerData));
  } catch (failure) {
    parentPort?.postMessage({ failure } satisfies SqlResult);
    return undefined;
  }
}
