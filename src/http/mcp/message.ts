import * as v from 'valibot';
import { Problem } from '../../domain/problems.ts';

const id = v.union([v.string(), v.number()]);
const request = v.object({ id, method: v.string() });
const cancellation = v.object({
  method: v.literal('notifications/cancelled'),
  params: v.object({ requestId: id }),
});

export type MessageId = v.InferOutput<typeof id>;

/** What the endpoint itself reads of a JSON-RPC message; the SDK validates the rest. */
export interface Message {
  /** The method and the id of a request. */
  readonly method?: string;
  readonly id?: MessageId;
  /** The id of the request that a notification cancels. */
  readonly cancelledId?: MessageId;
}

/**
 * Reads a message. Throws `invalid_body` for an array: a batch would count as one request against
 * the rate limit, and revisions since 2025-06-18 have no batches.
 */
export function readMessage(body: unknown): Message {
  if (Array.isArray(body))
    throw new Problem(
      'invalid_body',
      'body must be one JSON-RPC message. Send each message of a batch as a request of its own.',
      { param: 'body' },
    );
  const sent = v.safeParse(request, body);
  const cancels = v.safeParse(cancellation, body);
  return {
    ...(sent.success && sent.output),
    ...(cancels.success && { cancelledId: cancels.output.params.requestId }),
  };
}
