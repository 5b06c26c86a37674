import type { Instant, Json } from '../../../domain/registration.ts';

/** A date as registries write it, in UTC with milliseconds; a date without zone is UTC. Undefined when it is none. */
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
  // An empty date field comes out as year 1 or 1970 in some servers, and no domain is older than the DNS of 1983.
  if (year < 1983 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month))
    return undefined;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const offset = offsetMs(zone);
  // Most are in UTC; a Date takes ten times as long to write it again.
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
  // The last hours of 9999 may lie in a year that RFC 3339 cannot write.
  return instant.length === '2026-01-31T00:00:00.000Z'.length ? instant : undefined;
}

// `2026-01-31`, `2026-01-31 12:00:00`, `2026-01-31T12:00:00.123456+0000` and what lies between; second 60 is a leap second.
const timestampPattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:[.,](\d+))?)? ?(Z|UTC|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i;

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function offsetMs(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -offset : offset;
}
