import type { Meter } from '../../accounts/credits.ts';
import type { Call } from '../call.ts';
import { costHeaders } from './credit-headers.ts';

/** Gives back all that was set aside when the work fails: who gets no answer pays nothing. */
export async function refunding<T>(
  meter: Meter | undefined,
  { answerHeaders }: Call,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cost = await meter?.settle('failed');
    if (cost) Object.assign(answerHeaders, costHeaders(cost));
    throw error;
  }
}
