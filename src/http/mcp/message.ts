import * as v from 'valibot';
import { Problem } from '../../domain/problems.ts';
import { objectShape } from '../../shared/shapes.ts';

const id = v.union([v.string(), v.number()]);
const request = v.object({ id, method: v.string() });
const cancellation = v.object({
  method: v.literal('notifications/cancelled'),
  params: v.object({ requestId: id }),
});

/** Parameters of which the SDK would report an internal error, or a text for developers. */
const paramsOf = {
  'tools/list': v.optional(
    v.pipe(objectShape('an object'), v.object({ cursor: v.optional(v.string('a string')) })),
  ),
  'tools/call': v.pipe(
    objectShape('an object'),
    v.object({
      name: v.string('the name of a tool'),
      arguments: v.optional(v.pipe(objectShape('an object'), v.record(v.string(), v.unknown()))),
    }),
  ),
} as const;
const toolRequest = v.object({
  method: v.picklist(['tools/list', 'tools/call']),
  params: v.unknown(),
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
 * the rate limit, and revisions since 2025-06-18 have no batches; and for invalid parameters of
 * `tools/list` and `tools/call`.
 */
export function readMessage(body: unknown): Message {
  if (Array.isArray(body))
    throw new Problem(
      'invalid_body',
      'body must be one JSON-RPC message. Send each message of a batch as a request of its own.',
      { param: 'body' },
    );
  assertToolParams(body);
  const sent = v.safeParse(request, body);
  const cancels = v.safeParse(cancellation, body);
  return {
    ...(sent.success && sent.output),
    ...(cancels.success && { cancelledId: cancels.output.params.requestId }),
  };
}

function assertToolParams(body: unknown): void {
  const { success, output } = v.safeParse(toolRequest, body);
  if (!success) return;
  const { issues } = v.safeParse(paramsOf[output.method], output.params);
  if (!issues) return;
  const [issue] = issues;
  const path = ['params', v.getDotPath(issue)].filter((part) => part !== null).join('.');
  // A member that is missing is an issue of its object.
  const isMissing = issue.type === 'object';
  const detail = isMissing ? `${path} is missing.` : `${path} must be ${issue.message}.`;
  throw new Problem('invalid_body', detail, { param: path });
}
