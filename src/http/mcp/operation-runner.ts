import type { GraphQLSchema } from 'graphql';
import type { Cost } from '../../accounts/credits.ts';
import type { Caller, Context, OpenContext, QueueTimeouts } from '../../execution/context.ts';
import { readFieldLookups } from '../../execution/field-lookups.ts';
import type { Operation } from '../../execution/operation.ts';
import type { TimeSlices } from '../../execution/time-slices.ts';
import { outcomeAfter } from '../messages/refund-on-error.ts';
import { namingTooManyLookups, SavedOperation } from '../../execution/saved-operation.ts';
import { mcpOperations } from './operations.ts';

/** A saved operation with its variables. */
export interface SavedCall {
  readonly operation: keyof typeof mcpOperations;
  readonly variables: Readonly<Record<string, unknown>>;
  /** How long lookups may be queued: as in other APIs, longer for many names than for one. */
  readonly mode: keyof QueueTimeouts;
  /** The argument that contains the names, for the problem of too many names. */
  readonly namesParam?: string;
  /** Called for each row as soon as its outcome is known. */
  readonly onRow?: ((row: RowProgress) => void) | undefined;
}

export interface RowProgress {
  readonly domain: string;
  readonly status: string;
  /** Number of rows with an outcome, including this one. */
  readonly done: number;
  readonly total: number;
}

export interface SavedResult {
  readonly data: unknown;
  /** Undefined for a caller that is not metered. */
  readonly cost: Cost | undefined;
}

/** The caller of a tool, however it is connected. */
export type ToolCaller = Pick<Caller, 'account' | 'payer' | 'work'>;

export interface RunnerOptions {
  readonly schema: GraphQLSchema;
  readonly openContext: OpenContext;
  readonly slices: TimeSlices;
}

/** Runs saved operations on behalf of callers. */
export class OperationRunner {
  readonly #options: RunnerOptions;
  readonly #operations: Readonly<Record<keyof typeof mcpOperations, SavedOperation>>;

  constructor(options: RunnerOptions) {
    const saved = (name: keyof typeof mcpOperations) =>
      new SavedOperation(mcpOperations[name], options.schema);
    this.#options = options;
    this.#operations = {
      check: saved('check'),
      lookup: saved('lookup'),
      tlds: saved('tlds'),
      account: saved('account'),
    };
  }

  /**
   * Runs an operation and charges the caller. Aborting the signal drops the lookups that have not
   * been sent, and settles the cost. Rejects with a `Problem`; nothing is then charged, unless the
   * result is too large.
   */
  async run(call: SavedCall, caller: ToolCaller, signal: AbortSignal): Promise<SavedResult> {
    using tasks = new ClosingTasks(signal);
    const saved = this.#operations[call.operation];
    const operation = saved.coerce(call.variables);
    const context = await this.#openContext(operation, call, {
      ...caller,
      signal: () => signal,
      onResponseClosed: (task) => tasks.add(task),
    });
    try {
      const [data] = await Promise.all([
        saved.run(operation, context),
        reportRows(operation, context, call.onRow),
      ]);
      return { data, cost: await context.meter?.settle('completed') };
    } catch (error) {
      await context.meter?.settle(outcomeAfter(error));
      throw error;
    }
  }

  async #openContext(
    operation: Operation,
    { mode, namesParam = '' }: SavedCall,
    caller: Caller,
  ): Promise<Context> {
    const { openContext, slices } = this.#options;
    const fields = await readFieldLookups(operation, { maxEntries: Infinity, slices });
    try {
      return await openContext(fields, caller, mode);
    } catch (error) {
      throw namingTooManyLookups(error, namesParam);
    }
  }
}

async function reportRows(
  { rootFields }: Operation,
  { lookup }: Context,
  onRow: SavedCall['onRow'],
): Promise<void> {
  if (!onRow) return;
  const key = rootFields[0]?.key ?? '';
  const total = lookup.rows(key).length;
  let done = 0;
  for await (const { domain, outcome } of lookup.rowsInCompletionOrder(key)) {
    const { status } = await outcome();
    onRow({ domain, status, done: ++done, total });
  }
}

/** Tasks that run once: when a call has ended, or as soon as it is cancelled. */
class ClosingTasks implements Disposable {
  readonly #signal: AbortSignal;
  readonly #tasks: (() => void)[] = [];
  readonly #run = () => {
    for (const task of this.#tasks.splice(0)) task();
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#run);
  }

  add(task: () => void): void {
    if (this.#signal.aborted) task();
    else this.#tasks.push(task);
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#run);
    this.#run();
  }
}
