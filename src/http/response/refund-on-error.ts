import type { Meter } from '../../accounts/credits.ts';
import { Problem, type CreditShortage } from '../../domain/problems.ts';
import type { HttpRequestContext } from '../http-request-context.ts';
import { costHeaders } from './credit-headers.ts';

/** Refunds all reserved credits if the work fails: a response without data costs nothing. */
export async function withRefundOnError<T>(
  meter: Meter | undefined,
  { responseHeaders }: HttpRequestContext,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cost = await meter?.settle('failed');
    if (cost) Object.assign(responseHeaders, costHeaders(cost));
    throw withShortage(error, meter?.shortage?.());
  }
}

/** Adds the credits to the problem of an object, whose GraphQL field has only a code and a text. */
function withShortage(error: unknown, credits: CreditShortage | undefined): unknown {
  const isRefusal = error instanceof Problem && error.code === 'insufficient_credits';
  return isRefusal && credits
    ? new Problem(error.code, error.message, { credits, cause: error })
    : error;
}
