import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { putLoad, type LoadResult } from './load.ts';

/** Asks for `/health` in a thread of its own, ten times a second: how long others wait is not part of what they measure. */
export async function probeHealth(url: string, seconds: number): Promise<LoadResult> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, seconds } });
  const [result] = (await once(worker, 'message')) as [LoadResult];
  return result;
}

if (!isMainThread) {
  const { url, seconds } = workerData as { url: string; seconds: number };
  const request = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
  // oxlint-disable-next-line require-post-message-target-origin -- that is of windows, not of threads
  parentPort?.postMessage(await putLoad({ url, seconds, request, connections: 1, rate: 10 }));
}
