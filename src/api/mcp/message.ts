import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
} from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { Problem } from '../../domain/problems.ts';
import { isObject, objectShape } from '../../shared/shapes.ts';
import { errorCodes, type MessageId } from './errors.ts';

const id = v.union([v.string(), v.number()]);
const request = v.object({ id, method: v.string() });
const withId = v.object({ id });
const cancellation = v.object({
  method: v.literal('notifications/cancelled'),
  params: v.object({ requestId: id }),
});

/** Parameters of which the SDK would report an internal error, or a text for developers. */
const paramsOf: Readonly<Record<string, v.GenericSchema>> = {
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
};

/** What the gateway itself reads of a JSON-RPC message; the SDK validates the rest. */
export interface Message {
  /** The message without parameters that are null. */
  readonly body: unknown;
  /** The method and the id of a request. */
  readonly method?: string;
  readonly id?: MessageId;
  /** The id of the request that a notification cancels. */
  readonly cancelledId?: MessageId;
}

/** A message that the SDK must not read, with the code of the error. */
export interface RejectedMessage {
  readonly problem: Problem;
  readonly code: number;
  /** Undefined unless the message is a request with an id. */
  readonly id?: MessageId;
}

/**
 * Reads a message, or the problem of a text that is not JSON. Rejects a batch: it would count as one
 * request against the rate limit, and revisions since 2025-06-18 have none.
 */
export function readMessage(sent: unknown): Message | RejectedMessage {
  if (sent instanceof Problem) return { problem: sent, code: errorCodes.parse };
  if (Array.isArray(sent))
    return {
      problem: invalidBody(
        'body',
        'body must be one JSON-RPC message. Send each message of a batch as a request of its own.',
      ),
      code: errorCodes.request,
    };

  const body = isObject(sent) ? withoutNullParams(sent) : sent;
  const read = v.safeParse(request, body);
  const problem = read.success && problemOfParams(read.output.method, body);
  if (read.success && problem) return { problem, code: errorCodes.params, id: read.output.id };

  if (!isJSONRPCRequest(body) && !isJSONRPCNotification(body) && !isJSONRPCResponse(body))
    return {
      problem: invalidBody(
        'body',
        'body must be a message such as {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}.',
      ),
      code: errorCodes.request,
      ...(v.is(withId, body) && { id: body.id }),
    };

  const cancels = v.safeParse(cancellation, body);
  return {
    body,
    ...(read.success && read.output),
    ...(cancels.success && { cancelledId: cancels.output.params.requestId }),
  };
}

function invalidBody(param: string, detail: string): Problem {
  return new Problem('invalid_body', detail, { param });
}

function withoutNullParams({ params, ...message }: Record<string, unknown>) {
  return { ...message, ...withoutNulls({ params }, maxNullDepth) };
}

/** The depth of a capability in `initialize`. */
const maxNullDepth = 4;

/** Removes members that are null, as many clients send absent ones; the arguments of tools are kept. */
function withoutNulls(value: Record<string, unknown>, depth: number): Record<string, unknown> {
  const entries = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(
    entries.map(([key, each]) => [
      key,
      depth > 0 && key !== 'arguments' && isObject(each) ? withoutNulls(each, depth - 1) : each,
    ]),
  );
}

function problemOfParams(method: string, body: unknown): Problem | undefined {
  // The SDK would report an internal error.
  if (method === 'initialize' && !isInitializeRequest(body))
    return invalidBody(
      'params',
      'params of initialize must contain protocolVersion, capabilities and clientInfo.',
    );

  const schema = Object.hasOwn(paramsOf, method) && paramsOf[method];
  if (!schema) return undefined;

  const { issues } = v.safeParse(schema, Reflect.get(Object(body), 'params'));
  if (!issues) return undefined;

  const { param, detail } = paramsError(issues[0]);
  return invalidBody(param, detail);
}

/** Names the member of the parameters at fault, and says what it must be. */
export function paramsError(issue: v.BaseIssue<unknown>): { param: string; detail: string } {
  const param = ['params', v.getDotPath(issue)].filter((part) => part !== null).join('.');

  // A member that is missing is an issue of its object.
  const isMissing = issue.type === 'object';
  return {
    param,
    detail: isMissing ? `${param} is missing.` : `${param} must be ${issue.message}.`,
  };
}
