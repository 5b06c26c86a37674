// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import type { Worker } from 'node:worker_threads';
import type { RemoteTables } from '../../account-store.ts';
import type { Charge, Moment, Tables } from '../../tables.ts';
import { isReading, valueOf, type Call, type Outcome } from './accounts-file.ts';

/**
 * Calls the tables in their own thread. Reads are sent at once. Changes that are made while a commit is in progress are committed together next,
 * at the price of one; final charges of one account become one of their sum, which is one entry and one message.
 */
export class LedgerThread implements RemoteTables {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  /** Messages that were sent and not answered: the thread answers in order. */
  readonly #sent: PromiseWithResolvers<readonly Outcome[]>[] = [];
  #waiting: Waiting[] = [];
  #charges = new Map<string, JoinedCharges>();
  #committing: Promise<void> | undefined;
  #ended: Error | undefined;
  #closing = false;

  /** `worker` has opened its file. */
  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (outcomes: readonly Outcome[]) => this.#sent.shift()?.resolve(outcomes));
    worker.on('error', (error: Error) => this.#end(error));
    this.#exited = new Promise((resolve) => worker.once('exit', resolve));
    worker.once('exit', (code) => {
      this.#end(new Error('the thread of the ledger has ended'));
      // Uncaught on purpose: without its ledger the gateway can serve no paid request, so the process must end for its supervisor to restart it.
      if (!this.#closing)
        throw new Error(`The ledger thread exited unexpectedly with code ${code}.`);
    });
  }

  // What comes back is what the tables returned to the other thread.
  call<M extends keyof Tables>(method: M, ...args: Parameters<Tables[M]>): Promise<never> {
    if (isReading({ method })) return this.#read({ method, args }) as Promise<never>;
    const [accountId, amount, forGood, moment] = args as Parameters<Tables['charge']>;
    if (method === 'charge' && forGood)
      return this.#chargeJointly(accountId, amount, moment) as Promise<never>;
    return this.#change({ method, args }) as Promise<never>;
  }

  async close(): Promise<void> {
    await this.#committing;
    this.#closing = true;
    this.#worker.postMessage('close');
    await this.#exited;
  }

  async #read(call: Call): Promise<unknown> {
    const [outcome] = await this.#send(call);
    return valueOf(outcome);
  }

  async #chargeJointly(
    accountId: string,
    amount: number,
    moment: Moment,
  ): Promise<Charge | undefined> {
    const key = `${accountId} ${moment.month}`;
    const joined = this.#charges.get(key) ?? this.#joinCharges(key, accountId, moment);
    const index = joined.amounts.push(amount) - 1;
    const sum = (joined.total += amount);
    const charged = await joined.charged;
    if ('length' in charged) return charged[index];
    // Each caller gets what was used after its own charge.
    return { ...charged, used: charged.used - joined.total + sum };
  }

  #joinCharges(key: string, accountId: string, moment: Moment): JoinedCharges {
    const amounts: number[] = [];
    const charged = this.#change({
      method: 'chargeAll',
      args: [accountId, amounts, moment],
    }) as JoinedCharges['charged'];
    const joined = { amounts, total: 0, charged };
    this.#charges.set(key, joined);
    return joined;
  }

  #change(call: Call): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.push({ call, resolve, reject });
    this.#committing ??= this.#commitAll();
    return promise;
  }

  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Changes of the same turn, or in response to the last commit, are part of this one.
      await new Promise(setImmediate);
      const group = this.#waiting;
      this.#waiting = [];
      this.#charges = new Map();
      await this.#commit(group);
    }
    this.#committing = undefined;
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#send(group.map(({ call }) => call));
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome && 'value' in outcome) resolve(outcome.value);
        else reject(outcome?.failure);
      }
    } catch (failure) {
      for (const { reject } of group) reject(failure);
    }
  }

  #send(message: Call | readonly Call[]): Promise<readonly Outcome[]> {
    if (this.#ended) return Promise.reject(this.#ended);
    const sent = Promise.withResolvers<readonly Outcome[]>();
    this.#sent.push(sent);
    this.#worker.postMessage(message);
    return sent.promise;
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#sent.splice(0)) reject(this.#ended);
  }
}

interface Waiting {
  readonly call: Call;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Final charges of one account in one month that wait for the next commit. */
interface JoinedCharges {
  readonly amounts: number[];
  total: number;
  /** One charge of the total, or each of its own. */
  readonly charged: Promise<Charge | readonly Charge[]>;
}
