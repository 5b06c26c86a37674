import * as v from 'valibot';
import type { EventPage, EventRead, EventType } from '../api/mcp/events.ts';
import { described, optional } from '../api/mcp/shapes.ts';
import { readArguments } from '../api/mcp/tool.ts';
import type { Clock } from '../clock.ts';
import { factsBody } from './bodies.ts';
import { readFilter, watcherOf } from './account-watches.ts';
import { CursorExpiredError } from './change-log.ts';
import { changeTypes } from './observation.ts';
import type { Watches } from './watches.ts';

const typeNames = changeTypes.map((type) => type.toLowerCase());
const strings = 'a list of strings';

const input = v.strictObject(
  {
    domain: optional(v.string('a name'), 'Only changes of this name.'),
    types: optional(
      v.array(v.string(strings), strings),
      `Only changes of these types: ${typeNames.join(', ')}. Omit it for all.`,
    ),
  },
  'an object',
);

const state = described(
  v.record(v.string(), v.unknown()),
  'The verdict, the phase, and what differs: dates, registrar, nameservers, DNSSEC or statuses.',
);
const payload = v.object({
  type: described(v.picklist(typeNames), 'What changed.'),
  domain: described(v.string(), 'The name in A-label form, in lower case.'),
  change_id: described(v.string(), 'The id of the change in all APIs.'),
  not_before: described(v.string(), 'When the old state was last seen.'),
  seen_at: described(v.string(), 'When the new state was first seen.'),
  before: state,
  after: state,
});

/**
 * Returns the events of watched names. With `watchesDomain`, a subscription to the changes of a name
 * also watches it, for callers that have no other way to.
 */
export function changeEvents(
  watches: Watches,
  clock: Clock,
  { watchesDomain = false } = {},
): readonly EventType[] {
  async function* pages(
    account: string | undefined,
    args: unknown,
    { cursor, maxAgeMs, limit, signal }: EventRead,
  ): AsyncGenerator<EventPage> {
    const watcher = watcherOf(account);
    const filter = readFilter(readArguments(input, args));
    if (watchesDomain && filter.domain !== undefined) {
      const [row] = await watches.watch(watcher, [filter.domain]);
      if (row?.problem) throw row.problem;
    }

    const since = cursor === undefined ? -Infinity : clock.now() - (maxAgeMs ?? Infinity);
    let start = await usableCursor(watches, cursor);
    const isExpired = start !== (cursor ?? start);
    for await (const page of watches.pages(watcher, { ...filter, after: start }, signal, limit)) {
      const recent = page.items.filter(({ seenAt }) => seenAt >= since);
      const events = recent.map(({ id, domain, seenAt, notBefore, before, after, ...change }) => ({
        id,
        timestamp: seenAt,
        data: {
          type: change.type.toLowerCase(),
          domain,
          change_id: id,
          not_before: new Date(notBefore).toISOString(),
          seen_at: new Date(seenAt).toISOString(),
          before: factsBody(before),
          after: factsBody(after),
        },
      }));
      const truncated = isExpired || recent.length < page.items.length;
      yield { start, events, truncated, cursor: page.cursor, hasNext: page.hasNext };
      start = page.cursor;
    }
  }

  const description =
    'A watched name has become available, was registered, expires at another time, or changed its registrar, nameservers, DNSSEC, statuses or phase; or there is no verdict any more, or one again. Watch names with `POST /v1/watches` or the GraphQL mutation `watch`.';
  return [{ name: 'domain.changed', description, input, payload, pages }];
}

/** Returns a cursor, the oldest valid one if it is not valid, and by default the one of now. */
async function usableCursor(watches: Watches, cursor: string | undefined): Promise<string> {
  if (cursor === undefined) return watches.head();
  try {
    await watches.changeLog.seqOf(cursor);
    return cursor;
  } catch (error) {
    if (error instanceof CursorExpiredError) return error.oldest;
    throw error;
  }
}
