import type { Instant, Json, Event } from '../../domain/registration.ts';
import { objectsOf, omitUndefined } from './json.ts';
import { asLowerCaseText, asText } from './text.ts';

/**
 * Parses a date in the formats that registries use. Returns it in UTC with milliseconds; undefined
 * if it is invalid. UTC is assumed if there is no time zone.
 */
export function asInstant(json: Json | undefined): Instant | undefined {
  const parts = typeof json === 'string' ? timestampPattern.exec(json.trim()) : null;
  if (!parts) return undefined;

  const [
    ,
    years,
    months,
    days,
    hours = '00',
    minutes = '00',
    seconds = '00',
    fraction = '',
    zone = 'Z',
  ] = parts;
  const [year, month, day] = [Number(years), Number(months), Number(days)];

  // Some servers send year 1 or 1970 for an empty date, and no domain is older than the DNS (1983).
  if (year < 1983 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month))
    return undefined;

  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const offset = offsetMs(zone);

  // Fast path: most dates are in UTC, and formatting with `Date` takes ten times as long.
  if (offset === 0 && seconds !== '60')
    return `${years}-${months}-${days}T${hours}:${minutes}:${seconds}.${milliseconds}Z`;

  const local = Date.UTC(
    year,
    month - 1,
    day,
    Number(hours),
    Number(minutes),
    Number(seconds),
    Number(milliseconds),
  );
  const instant = new Date(local - offset).toISOString();

  // The last hours of 9999 may fall into a year that RFC 3339 cannot represent.
  return instant.length === '2026-01-31T00:00:00.000Z'.length ? instant : undefined;
}

// `2026-01-31`, `2026-01-31 12:00:00`, `2026-01-31T12:00:00.123456+0000Z` and variants; second 60 is
// a leap second.
const timestampPattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:[.,](\d+))?)? ?(Z|UTC|[+-]00:?00Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i;

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function offsetMs(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -offset : offset;
}

/** Reads events (RFC 9083 section 4.5). Omits those without an action. */
export function readEvents(json: Json | undefined): readonly Event[] {
  return objectsOf(json).flatMap((event) => {
    const action = asLowerCaseText(event['eventAction']);
    return action
      ? omitUndefined<Event>({
          action,
          date: asInstant(event['eventDate']),
          actor: asText(event['eventActor']),
        })
      : [];
  });
}
