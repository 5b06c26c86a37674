import type { Meter } from '../../accounts/credits.ts';
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
    throw error;
  }
}
