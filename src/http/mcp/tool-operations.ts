import type { Cost } from '../../accounts/account.ts';
import type { Caller, RunOptions } from '../../execution/context.ts';
import type { Execution } from '../../execution/execution.ts';
import { dataOf } from '../../execution/result.ts';
import type { PreparedOperation } from '../../execution/operation.ts';
import { withParameterNames } from '../messages/run-response.ts';
import { mcpOperations } from './operations.ts';

/** A saved operation with its variables. */
export interface SavedCall extends Pick<RunOptions, 'mode' | 'onRow'> {
  readonly operation: keyof typeof mcpOperations;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The argument that contains the names, for the problem of too many names. */
  readonly namesParam?: string;
}

export interface SavedResult {
  readonly data: unknown;
  /** Undefined for a caller that is not metered. */
  readonly cost: Cost | undefined;
}

/** The caller of a tool, however it is connected. */
export type ToolCaller = Pick<Caller, 'account' | 'payer' | 'work'>;

/** Runs the saved operations of the tools. */
export class ToolOperations {
  readonly #execution: Execution;
  readonly #operations: Readonly<
    Record<keyof typeof mcpOperations, () => Promise<PreparedOperation>>
  >;

  constructor(execution: Execution) {
    const { check, lookup, tlds, account } = mcpOperations;
    this.#execution = execution;
    this.#operations = {
      check: execution.saved(check),
      lookup: execution.saved(lookup),
      tlds: execution.saved(tlds),
      account: execution.saved(account),
    };
  }

  /** Runs an operation until it ends or the signal is aborted. Rejects with a `Problem`. */
  async run(
    { operation, variables, namesParam = '', ...options }: SavedCall,
    caller: ToolCaller,
    signal: AbortSignal,
  ): Promise<SavedResult> {
    const prepared = await this.#operations[operation]();
    const { account, payer, work } = caller;
    const result = await this.#execution.run(
      prepared.coerce(variables),
      { account, payer, work, signal: () => signal },
      options,
      (executed) => ({ value: dataOf(executed) }),
    );
    if ('error' in result) throw withParameterNames(result, { namesParam });
    return { data: result.value, cost: result.cost };
  }
}
