import type { Cost } from '../../accounts/credits.ts';
import type { Context } from '../../context.ts';
import { serverTiming } from '../../lookup/timings.ts';
import { isKnown } from './etag.ts';
import type { Call, Reply } from '../call.ts';
import { costHeaders } from './credit-headers.ts';

/** How a response in one piece ends. */
export interface Conclusion {
  /** The client's copy is still valid, so the response is a 304. */
  readonly isUnchanged: boolean;
  /** Undefined for a caller that is not metered. */
  readonly cost: Cost | undefined;
}

/** Charges for a response, and sets the headers of its cost and of the time that it took. A 304 costs nothing if no registry was queried. */
export async function conclude(
  etag: string | undefined,
  { meter, lookup }: Context,
  call: Call,
): Promise<Conclusion> {
  const isUnchanged = etag !== undefined && isKnown(call.request.headers['if-none-match'], etag);
  const cost = (isUnchanged && (await meter?.forgo())) || (await meter?.settle('whole'));
  call.answerHeaders['server-timing'] = serverTiming(lookup.timings);
  if (cost) Object.assign(call.answerHeaders, costHeaders(cost));
  return { isUnchanged, cost };
}

/** Charges for a REST response, and returns it, or the 304 in its place. */
export async function concludeReply(reply: Reply, context: Context, call: Call): Promise<Reply> {
  const { isUnchanged } = await conclude(reply.headers['etag'], context, call);
  if (!isUnchanged) return reply;
  const { 'content-type': _ofBody, ...headers } = reply.headers;
  return { status: 304, headers };
}
