import type * as v from 'valibot';
import type { Cost } from '../../accounts/account.ts';
import type { SavedCall, SavedResult } from './tool-operations.ts';

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
