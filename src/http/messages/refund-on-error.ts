import type { Meter, OperationOutcome } from '../../accounts/credits.ts';
import { Problem, type CreditShortage } from '../../domain/problems.ts';
import type { HttpRequestContext } from '../http-request-context.ts';
import { costHeaders } from './credit-headers.ts';

/**
 * Refunds all reserved credits if the work fails: a response without data costs nothing. A result
 * that is too large is charged for what was sent and answered, like one that the client does not
 * wait for.
 */
export async function withRefundOnError<T>(
  meter: Meter | undefined,
  { responseHeaders }: HttpRequestContext,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cost = await meter?.settle(outcomeAfter(error));
    if (cost) Object.assign(responseHeaders, costHeaders(cost));
    throw withShortage(error, meter?.shortage?.());
  }
}

/**
 * Returns how an operation ended that failed with an error. One whose result is too large has done
 * its work.
 */
export function outcomeAfter(error: unknown): OperationOutcome {
  return error instanceof Problem && error.code === 'query_too_large' ? 'aborted' : 'failed';
}

/** Adds the credits to the problem of an object, whose GraphQL field has only a code and a text. */
function withShortage(error: unknown, credits: CreditShortage | undefined): unknown {
  const isRefusal = error instanceof Problem && error.code === 'insufficient_credits';
  return isRefusal && credits
    ? new Problem(error.code, error.message, { credits, cause: error })
    : error;
}
