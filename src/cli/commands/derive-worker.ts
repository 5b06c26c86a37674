// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { parentPort, workerData } from 'node:worker_threads';
import { derive } from '../../app/recorded-lookup.ts';
import type { Payload } from '../../receipts/payload.ts';

parentPort?.postMessage(await derive(workerData as Payload));
