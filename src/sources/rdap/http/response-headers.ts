const maxRetryAfterSeconds = 120;
const toleratedSkewSeconds = 5 * 60;

/** Returns the delay of a `Retry-After` value (RFC 9110 section 10.2.3) in seconds, at most 120; undefined if it cannot be read. */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (httpDate(text) - now) / 1000;
  return Number.isNaN(seconds)
    ? undefined
    : Math.min(Math.max(Math.ceil(seconds), 0), maxRetryAfterSeconds);
}

/**
 * Returns the age of a response in seconds: the largest of its `Age` values and of what its `Date` implies (RFC 9111 section 4.2.3). An
 * `Age` or `Date` that cannot be read makes it Infinity. A `Date` up to five minutes old is taken for clock skew and counts as 0.
 */
export function responseAgeSeconds(
  age: readonly string[],
  date: readonly string[],
  now: number,
): number {
  return Math.max(
    0,
    ...age.flatMap((line) => line.split(',')).map(ageSeconds),
    ...date.map((value) => secondsSince(value, now)),
  );
}

/** RFC 9110 section 5.6.7: all three forms begin with the day of the week and mean GMT. `Date.parse` alone reads a date into `-1` too. */
function httpDate(text: string): number {
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}

function ageSeconds(text: string): number {
  return /^\s*\d+\s*$/.test(text) ? Number(text) : Infinity;
}

function secondsSince(date: string, now: number): number {
  const sentAt = Date.parse(date);
  if (Number.isNaN(sentAt)) return Infinity;
  const seconds = (now - sentAt) / 1000;
  return seconds > toleratedSkewSeconds ? seconds : 0;
}
