import * as v from 'valibot';
import type { Cost } from '../../accounts/account.ts';
import { Problem, type FieldError } from '../../domain/problems.ts';
import { maxFieldErrors } from '../messages/collect-problems.ts';
import type { Caller, RunOptions } from '../../execution/context.ts';
import type { Execution } from '../../execution/execution.ts';
import { dataOf } from '../../execution/result.ts';
import type { PreparedOperation } from '../../execution/operation.ts';
import { withParameterNames } from '../messages/run-response.ts';
import { mcpOperations } from './operations.ts';

/** A tool: what clients see of it, and how a call is executed. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: v.GenericSchema;
  readonly output: v.GenericSchema;
  /** Executes a call. Rejects with a `Problem` that names the argument at fault. */
  run(args: unknown, call: ToolCall): Promise<ToolAnswer>;
}

/** What a tool can use while it executes a call. */
export interface ToolCall {
  /** Runs a saved operation on behalf of the caller. Rejects with a `Problem`. */
  execute(call: SavedCall): Promise<SavedResult>;
  /** Counts names that are about to be parsed. Throws `rate_limited`. */
  spendWork(names: number): void;
  /** Reports progress; undefined if the client requested none. */
  readonly reportProgress?: (done: number, total: number, message: string) => void;
}

export interface ToolAnswer {
  /** Conforms to `output`. */
  readonly structured: Record<string, unknown>;
  /** The essentials for clients that read only text, line by line. */
  readonly lines: readonly string[];
}

/** Returns the member of an answer that states its cost, for callers with a key. */
export function creditsOf(cost: Cost | undefined): { credits?: Cost } {
  return cost ? { credits: cost } : {};
}

/**
 * Parses the arguments of a tool. Throws a `Problem` that names each invalid argument. The messages
 * of the schema complete the sentence "… must be".
 */
export function readArguments<Schema extends v.GenericSchema>(
  schema: Schema,
  args: unknown,
): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, args ?? {});
  if (success) return output;
  const errors = issues.slice(0, maxFieldErrors).map(fieldErrorOf);
  const [first] = errors;
  throw new Problem(first?.code ?? 'invalid_parameter', first?.detail ?? '', {
    ...(first && { param: first.param }),
    ...(errors.length > 1 && { errors }),
  });
}

function fieldErrorOf(issue: v.BaseIssue<unknown>): FieldError {
  const param = v.getDotPath(issue) ?? 'arguments';
  if (issue.expected === 'never')
    return {
      param,
      code: 'invalid_parameter',
      detail: `${param} is not an argument of this tool.`,
    };
  if (issue.type === 'strict_object' && issue.received === 'undefined')
    return { param, code: 'missing_parameter', detail: `${param} is missing.` };
  return {
    param,
    code: param === 'max_age' ? 'invalid_max_age' : 'invalid_parameter',
    detail: `${param} must be ${issue.message}.`,
  };
}

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

type Operations = Readonly<Record<SavedCall['operation'], () => Promise<PreparedOperation>>>;

/** Runs the saved operations of the tools. */
export class ToolOperations {
  readonly #execution: Execution;
  readonly #operations: Operations;

  constructor(execution: Execution) {
    this.#execution = execution;
    this.#operations = Object.fromEntries(
      Object.entries(mcpOperations).map(([name, text]) => [name, execution.saved(text)]),
    ) as Operations;
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
