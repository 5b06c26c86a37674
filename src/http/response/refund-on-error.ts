import type { Meter } from '../../accounts/credits.ts';
import type { HttpRequestContext } from '../http-request-context.ts';
import { costHeaders } from './credit-headers.ts';

/** Gives back all that was set aside when the work fails: who gets no answer pays nothing. */
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
