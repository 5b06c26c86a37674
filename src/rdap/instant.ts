import type { Instant, Json } from '../domain/registration.ts';

/** A date as registries write it, in UTC with milliseconds; a date without zone is UTC. Undefined when it is none. */
export function asInstant(json: Json | undefined): Instant | undefined {
  const parts = typeof json === 'string' ? written.exec(json.trim())?.groups : undefined;
  if (!parts) return undefined;
  const number = (name: string) => Number(parts[name] ?? 0);
  const [year, month, day] = [number('year'), number('month'), number('day')];
  // An empty date field comes out as year 1 or 1970 in some servers, and no domain is older than the DNS of 1983.
  if (year < 1983 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  const milliseconds = Number((parts['fraction'] ?? '').slice(0, 3).padEnd(3, '0'));
  const local = Date.UTC(year, month - 1, day, number('hour'), number('minute'), number('second'), milliseconds);
  const instant = new Date(local - offsetMs(parts['zone'] ?? 'Z')).toISOString();
  // The last hours of 9999 may lie in a year that RFC 3339 cannot write.
  return instant.length === '2026-01-31T00:00:00.000Z'.length ? instant : undefined;
}

// `2026-01-31`, `2026-01-31 12:00:00`, `2026-01-31T12:00:00.123456+0000` and what lies between; second 60 is a leap second.
const written =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[T ](?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d|60)(?:[.,](?<fraction>\d+))?)? ?(?<zone>Z|UTC|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i;

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function offsetMs(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const distance = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -distance : distance;
}
