import { GraphQLError, type ExecutionResult } from 'graphql';
import type { Cost } from '../accounts/account.ts';
import type { NextTurn } from '../lookup/batch-scheduler.ts';
import type { Timings } from '../lookup/lookup-progress.ts';
import type { Context } from './context.ts';

/** What a run returns, unless it is a stream. */
export type RunResult<T> = Success<T> | Failure;

interface Success<T> {
  readonly value: T;
  /** Undefined for a caller that is not metered. */
  readonly cost: Cost | undefined;
  readonly timings: Timings;
}

export interface Failure {
  /** Why there is no value: a `Problem`, or the error of a bug. */
  readonly error: unknown;
  readonly cost: Cost | undefined;
  /** The operation was rejected before anything was looked up. */
  readonly isRefused: boolean;
}

/** The results of a subscription, or the parts of a deferred result. */
export interface Stream {
  /** Throws `query_too_large`. The operation is settled before the last part, and when they end. */
  readonly parts: AsyncGenerator<PartialResult, void, void>;
  /** Returns the id of the event with the last part; undefined if it cannot be resumed. */
  eventId(): string | undefined;
  /** The turns in which the parts are serialized. */
  readonly nextTurn: NextTurn;
  /** The cost before the first part. */
  readonly initialCost: Cost | undefined;
  /** Returns the cost so far, with the last part the final one. Throws `unavailable`. */
  cost(): Promise<Cost | undefined>;
}

/**
 * Renders a result before it is charged: a response that cannot be rendered costs nothing. Throws the
 * problem of a response that has no data.
 */
export type Render<T> = (
  result: ExecutionResult,
  context: Context,
) => Rendered<T> | Promise<Rendered<T>>;

export interface Rendered<T> {
  readonly value: T;
  /** Whether the client already has it, so that it is free if no registry was queried. */
  readonly clientHasIt?: boolean;
}

/** A result of a stream. */
export interface PartialResult extends ExecutionResult {
  /** Whether others follow a part of a deferred result; undefined for an event. */
  readonly hasNext?: boolean;
}

export class InvalidDocument extends Error {
  override readonly name = 'InvalidDocument';
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
    this.errors = errors;
  }
}

/** Returns the data of a saved operation. Throws its first error. */
export function dataOf({ data, errors }: ExecutionResult): unknown {
  const [error] = errors ?? [];
  if (error) throw causeOf(error) ?? new Error(error.message);
  return data;
}

/**
 * Returns what a resolver or a scalar threw. Returns undefined for an error of graphql-js itself: the
 * errors that it wraps do not name the variable or its part, and only the outermost message does.
 */
export function causeOf({ originalError }: GraphQLError): unknown {
  return originalError instanceof GraphQLError ? causeOf(originalError) : originalError;
}

/** Renders the result of a saved subscription that is not a stream: throws its error. */
export function notStreamed(result: ExecutionResult): never {
  dataOf(result);
  throw new Error('The saved subscription is not a stream.');
}
