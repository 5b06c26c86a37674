// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** What a thread opens: `workerData`. */
export interface ThreadFile {
  readonly kind: 'ledger' | 'watches';
  readonly path: string;
}

/** The answer to a message, in the order of the messages; the first says whether the file is open. */
export type ThreadReply = { readonly value: unknown } | { readonly failure: unknown };

/** It has the extension of this file: `.ts` in the repository, `.js` in the npm package. */
const workerFile = new URL(`worker${extname(import.meta.filename)}`, import.meta.url);

/** Starts a thread that opens a file, or creates it. Rejects with what opening it throws. */
export async function startThread(kind: ThreadFile['kind'], path: string): Promise<DatabaseThread> {
  const thread = new DatabaseThread({ kind, path });
  await thread.opened;
  return thread;
}

/** A database file in a separate thread, because SQLite blocks its thread until the disk has written. */
export class DatabaseThread {
  readonly opened: Promise<unknown>;
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  readonly #inFlight: PromiseWithResolvers<unknown>[] = [];
  #failure: Error | undefined;
  /** Whether the file is open, which the first answer says, and not closed. */
  #mustRun = false;

  constructor(workerData: ThreadFile) {
    this.#worker = new Worker(workerFile, { workerData });
    this.opened = this.#nextAnswer();
    this.#worker.once('message', (answer: ThreadReply) => (this.#mustRun = 'value' in answer));
    this.#worker.on('message', (answer: ThreadReply) => {
      const { resolve, reject } = this.#inFlight.shift() ?? Promise.withResolvers();
      if ('failure' in answer) reject(answer.failure);
      else resolve(answer.value);
    });
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.once('exit', (code) => {
      this.#fail(new Error(`The ${workerData.kind} thread has exited.`));
      // Uncaught on purpose: without its tables, the gateway cannot serve metered requests, so the
      // process must exit for its supervisor to restart it.
      if (this.#mustRun)
        throw new Error(`The ${workerData.kind} thread exited unexpectedly with code ${code}.`);
    });
  }

  /** Resolves to the answer, or rejects with what the thread throws. */
  send(message: object): Promise<unknown> {
    if (this.#failure) return Promise.reject(this.#failure);
    this.#worker.postMessage(message);
    return this.#nextAnswer();
  }

  /** Waits for the answers to earlier messages. */
  async close(): Promise<void> {
    this.#mustRun = false;
    this.#worker.postMessage('close');
    await this.#exited;
  }

  #nextAnswer(): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    this.#inFlight.push(answer);
    return answer.promise;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#inFlight.splice(0)) reject(this.#failure);
  }
}
