import { ProtocolError, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { workMs, type WorkBudget } from '../../accounts/work-limit.ts';
import { Problem } from '../../domain/problems.ts';
import type { Caller } from '../../execution/context.ts';
import { asProblem, problemMembers } from '../../server/messages/problem-response.ts';
import { errorCodes } from './errors.ts';
import { paramsError } from './message.ts';
import { objectShape } from '../../shared/shapes.ts';
import { wholeNumber } from './shapes.ts';
import type { InputSchema } from './tool.ts';

/** A type of event that clients subscribe to. */
export interface EventType {
  readonly name: string;
  readonly description: string;
  /** No argument is required. */
  readonly input: InputSchema;
  readonly payload: v.GenericSchema;
  /**
   * Yields the events after a cursor, by default those from now on: the first page at once, and then
   * one whenever there are events, or a cursor has advanced for a while, until the signal is aborted.
   * Rejects with a `Problem` that names the argument at fault. `account`: undefined without a key.
   */
  pages(account: string | undefined, args: unknown, read: EventRead): AsyncGenerator<EventPage>;
}

/** What a client reads of a type of event. */
export interface EventRead {
  readonly cursor: string | undefined;
  /** Older events are skipped. */
  readonly maxAgeMs: number | undefined;
  /** The maximum number of events in a page. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface EventPage {
  /** The cursor before the page. */
  readonly start: string;
  readonly events: readonly {
    /** Is the cursor after the event, too. */
    readonly id: string;
    /** Time in epoch ms. */
    readonly timestamp: number;
    readonly data: Readonly<Record<string, unknown>>;
  }[];
  /** The cursor after the page. */
  readonly cursor: string;
  readonly hasNext: boolean;
  /** Whether events after the cursor were skipped: they are too old, or no longer kept. */
  readonly truncated: boolean;
}

/** What the events need of the connection to one caller. */
export interface EventHost {
  readonly caller: Pick<Caller, 'payer' | 'work'>;
  /** Whether the client can receive several messages in response to a request. */
  readonly acceptsStream: boolean;
  /** Resolves when the client has read what was sent; absent if it need not be waited for. */
  readonly whenRead?: () => Promise<void>;
  /** Called with the problem of each call that fails. */
  onProblem(problem: Problem): void;
}

/** The capability of a server with events (SEP-3415). */
export const eventsExtension = { 'io.modelcontextprotocol/events': {} };

/** Codes of errors (SEP-3415, "Error Handling"). */
const codes = { notFound: -32023, unsupported: -32026 };
const maxEvents = 100;
const nextPollMs = 30_000;
const fieldsPerEvent = 10;
const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

const paramsShape = v.object({
  name: v.string('the name of an event'),
  arguments: v.nullish(v.pipe(objectShape('an object'), v.record(v.string(), v.unknown()))),
  cursor: v.nullish(v.string('a string')),
  maxAgeMs: v.nullish(wholeNumber('a whole number of milliseconds, 0 or more', 0)),
  maxEvents: v.nullish(wholeNumber('a whole number, 1 or more', 1)),
});

/** Serves `events/list`, and poll and push delivery: `events/poll` and `events/stream` (SEP-3415). */
export function serveEvents(
  { server }: McpServer,
  types: readonly { readonly type: EventType; readonly listed: object }[],
  host: EventHost,
): void {
  const params = v.unknown();
  server.setRequestHandler('events/list', { params }, () => ({
    events: types.map(({ listed }) => listed),
  }));

  const handle = (
    method: string,
    deliver: (subscription: Subscription, context: ServerContext) => ReturnType<typeof stream>,
  ) =>
    server.setRequestHandler(method, { params }, async (sent, context) => {
      try {
        return await deliver(open(sent, context.mcpReq.signal), context);
      } catch (error) {
        throw protocolError(error, host);
      }
    });

  handle('events/poll', poll);
  handle('events/stream', (subscription, context) => {
    if (host.acceptsStream) return stream(subscription, context, host);
    const data = { feature: 'deliveryMode', value: 'push' };
    throw new ProtocolError(codes.unsupported, 'The client accepts no text/event-stream.', data);
  });

  function open(sent: unknown, signal: AbortSignal) {
    const { success, output, issues } = v.safeParse(paramsShape, sent ?? {});
    if (!success) throw invalidParams(issues[0]);

    const { name, arguments: args, cursor, maxAgeMs } = output;
    const type = types.find((each) => each.type.name === name)?.type;
    if (!type)
      throw new ProtocolError(codes.notFound, `There is no event ${name}.`, { kind: 'event' });

    const read = {
      cursor: cursor ?? undefined,
      maxAgeMs: maxAgeMs ?? undefined,
      limit: Math.min(output.maxEvents ?? maxEvents, maxEvents),
      signal,
    };

    const { payer, work } = host.caller;
    work.spend(workMs.lists(1, 0));
    return { name, pages: counted(type.pages(payer?.id, args, read), work) };
  }
}

/** Counts the work of events. */
async function* counted(
  pages: AsyncGenerator<EventPage>,
  work: WorkBudget,
): AsyncGenerator<EventPage> {
  for await (const page of pages) {
    work.count(workMs.lists(0, fieldsPerEvent * page.events.length));
    yield page;
  }
}

interface Subscription {
  readonly name: string;
  readonly pages: AsyncGenerator<EventPage>;
}

function occurrence(name: string, { id, timestamp, data }: EventPage['events'][number]) {
  return { eventId: id, name, timestamp: new Date(timestamp).toISOString(), data };
}

async function poll({ name, pages }: Subscription): Promise<Record<string, unknown>> {
  for await (const { events, cursor, truncated, hasNext } of pages)
    return {
      events: events.map((event) => occurrence(name, event)),
      cursor,
      truncated,
      hasMore: hasNext,
      nextPollMs,
    };
  throw new Problem('overloaded', 'The gateway is stopping. Try again in a moment.');
}

async function stream(
  { name, pages }: Subscription,
  { mcpReq: { id, notify } }: ServerContext,
  { whenRead }: EventHost,
): Promise<Record<string, unknown>> {
  const meta = { _meta: { [subscriptionKey]: id } };
  const send = (what: string, params: object) =>
    notify({ method: `notifications/events/${what}`, params: { ...params, ...meta } });
  let isActive = false;
  for await (const { start, events, truncated, cursor } of pages) {
    if (!isActive) await send('active', { cursor: start, truncated });
    isActive = true;
    for (const event of events) {
      // The SDK would keep all events of the log that the client does not read.
      await whenRead?.();
      await send('event', { ...occurrence(name, event), cursor: event.id });
    }
    // The cursor also advances when no event matches.
    await send('heartbeat', { cursor });
  }

  return meta;
}

function invalidParams(issue: v.BaseIssue<unknown>): Problem {
  const { param, detail } = paramsError(issue);
  return new Problem('invalid_parameter', detail, { param });
}

function protocolError(error: unknown, host: EventHost): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const problem = asProblem(error);
  host.onProblem(problem);
  const code = problem.status < 500 ? errorCodes.params : errorCodes.internal;

  return new ProtocolError(code, problem.message, problemMembers(problem));
}
