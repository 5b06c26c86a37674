import { splitName, type DomainName } from '../../domain/names/domain-name.ts';
import type { Instant } from '../../domain/registration.ts';
import type { TimelineEntry, Timelines } from '../../domain/timeline.ts';
import type { NextTurn } from '../../lookup/batch-scheduler.ts';
import { shownName } from '../account-watches.ts';
import type { Change, Watch } from '../types.ts';
import { changeBody } from '../bodies.ts';

/** Returns changes as an Atom feed (RFC 4287), oldest first, over several turns. Has no token. */
export async function atomOf(
  changes: readonly Change[],
  baseUrl: string,
  nextTurn: NextTurn,
): Promise<string> {
  const address = `${baseUrl}/v1/changes`;
  const entries = await inTurns(nextTurn, changes, (change) => {
    const title = `${shownName(change.domain)}: ${change.type.toLowerCase().replaceAll('_', ' ')}`;
    return `<entry><id>${address}#${change.id}</id><title>${escaped(title)}</title><updated>${iso(change.seenAt)}</updated><content type="text">${escaped(JSON.stringify(changeBody(change), null, 1))}</content></entry>`;
  });
  const head = `<id>${address}</id><title>Changes of watched names</title><updated>${iso(changes.at(-1)?.seenAt ?? 0)}</updated><author><name>RDAP Gateway</name></author><link rel="self" href="${address}"/>`;
  return `<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">${[head, ...entries].join('\n')}</feed>\n`;
}

/** A date of a watched name, or the days in which it is expected. */
interface CalendarEntry {
  readonly kind: string;
  readonly title: string;
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * Returns what is known of watched names as all-day events (RFC 5545), over several turns: their
 * expiry dates, and of deleted ones when they can no longer be restored and when they may become
 * available.
 */
export async function calendarOf(
  watches: readonly Watch[],
  timelines: Timelines,
  nextTurn: NextTurn,
): Promise<string> {
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//rdap-gateway//watches//EN'];
  const events = await inTurns(nextTurn, watches, (watch) =>
    linesOf(entriesOf(watch, timelines).flatMap((entry) => eventOf(watch, entry))),
  );
  const start = linesOf([...head, 'X-WR-CALNAME:Domain names']);

  return [start, ...events, linesOf(['END:VCALENDAR'])].join('');
}

/** Renders the rows of a list. Other requests are served in between. */
async function inTurns<T>(
  nextTurn: NextTurn,
  rows: readonly T[],
  render: (row: T) => string,
): Promise<readonly string[]> {
  const rendered: string[] = [];
  for (const row of rows) {
    await nextTurn();
    rendered.push(render(row));
  }
  return rendered;
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

function entriesOf(watch: Watch, timelines: Timelines): readonly CalendarEntry[] {
  const { domain, facts, since, checkedAt } = watch;
  const isDeleted = facts?.verdict === 'REDEMPTION' || facts?.verdict === 'PENDING_DELETE';
  const timeline = timelines.of(domain, splitName(domain as DomainName).suffix, {
    verdict: facts?.verdict,
    registration: { statuses: [], ...facts },
    source: null,
    // A deleted name has been in its phase at least since then, which narrows the days.
    checkedAt: (isDeleted ? since : checkedAt) ?? undefined,
  });
  const dated = (timeline ?? []).flatMap(({ from, to, ...entry }) =>
    from && to ? [{ ...entry, from, to }] : [],
  );

  const expiries = dated.flatMap(({ event, certainty, source, from, to }) => {
    if (event !== 'EXPIRES') return [];
    return certainty === 'REGISTRY'
      ? [{ kind: 'expiry', title: 'expires', from, to }]
      : [{ kind: 'known-expiry', title: `expires (${source})`, from, to }];
  });
  return isDeleted ? [...expiries, ...deletionOf(dated)] : expiries;
}

/** Returns when a deleted name can no longer be restored, and when it may become available. */
function deletionOf(
  dated: readonly (Pick<CalendarEntry, 'from' | 'to'> & Pick<TimelineEntry, 'event'>)[],
): readonly CalendarEntry[] {
  const drop = dated.find(({ event }) => event === 'MAY_BECOME_AVAILABLE');
  if (!drop) return [];
  const entry = { kind: 'drop', title: 'may become available', from: drop.from, to: drop.to };

  const pending = dated.find(({ event }) => event === 'PENDING_DELETE');
  if (!pending) return [entry];
  const pendingMs = Date.parse(drop.from) - Date.parse(pending.from);
  const [from, to] = [pending.from, iso(Date.parse(drop.to) - pendingMs)];
  return [{ kind: 'redemption-end', title: 'can no longer be restored', from, to }, entry];
}

function eventOf(watch: Watch, { kind, title, from, to }: CalendarEntry): readonly string[] {
  const { domain, label, checkedAt } = watch;
  const [first, last] = [from, to].map((date) => Date.parse(date)) as [number, number];
  return [
    'BEGIN:VEVENT',
    `UID:${kind}-${domain}@rdap-gateway`,
    `DTSTAMP:${compact(checkedAt ?? 0)}`,
    `DTSTART;VALUE=DATE:${compact(first).slice(0, 8)}`,
    // The end is the day after the last one.
    ...(first === last ? [] : [`DTEND;VALUE=DATE:${compact(last + dayMs).slice(0, 8)}`]),
    `SUMMARY:${textOf(`${shownName(domain)} ${title}`)}`,
    ...(label === null ? [] : [`CATEGORIES:${textOf(label)}`]),
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

const dayMs = 24 * 60 * 60 * 1000;

/** Returns a line in pieces of at most 75 bytes (RFC 5545 section 3.1). */
function folded(line: string): string {
  let [text, bytes] = ['', 0];
  for (const char of line) {
    const size = Buffer.byteLength(char);
    const isFull = bytes + size > 75;
    text += isFull ? `\r\n ${char}` : char;
    bytes = isFull ? 1 + size : bytes + size;
  }

  return text;
}

/** Returns a text with the escapes of RFC 5545 section 3.3.11, without other control characters. */
function textOf(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r?\n/g, '\\n')
    .replaceAll(/\p{Cc}/gu, ' ');
}

/** Returns a text of JSON, which has no control characters, for XML. */
function escaped(text: string): string {
  return text
    .replaceAll(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`)
    .replaceAll(/\uFFFE|\uFFFF/g, '');
}

/** Returns a time such as `20270101T000000Z`. */
function compact(ms: number): string {
  return iso(ms).replaceAll(/[-:]|\.\d+/g, '');
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
