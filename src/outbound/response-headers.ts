const maxRetryAfterSeconds = 120;
const toleratedSkewSeconds = 5 * 60;

/**
 * Returns the delay of a `Retry-After` value (RFC 9110 section 10.2.3) in seconds, at most 120;
 * undefined if it is invalid.
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (httpDate(text) - now) / 1000;
  return Number.isNaN(seconds)
    ? undefined
    : Math.min(Math.max(Math.ceil(seconds), 0), maxRetryAfterSeconds);
}

/**
 * Returns the age of a response in seconds: the maximum of its `Age` values and the age implied by
 * its `Date` (RFC 9111 section 4.2.3). Infinity if an `Age` or `Date` is invalid, and if a `Warning`
 * calls the response stale. A `Date` up to five minutes old may be clock skew and counts as 0.
 */
export function responseAgeSeconds(
  headerLines: (name: string) => readonly string[],
  now: number,
): number {
  const [age, date] = [headerLines('age'), headerLines('date')];
  return Math.max(
    headerLines('warning').some((line) => staleWarning.test(line)) ? Infinity : 0,
    ...age.flatMap((line) => line.split(',')).map(ageSeconds),
    ...date.map((value) => secondsSince(value, now)),
  );
}

/**
 * The warn codes of a cache that sends a stale response (RFC 7234 sections 5.5.1 to 5.5.4). RFC 9111
 * has removed them, but caches still send them, some without `Age`.
 */
const staleWarning = /(?:^|,)\s*11[0-3]\b/;

/**
 * RFC 9110 section 5.6.7: all three forms start with the day of the week and mean GMT. `Date.parse`
 * would also accept `-1`.
 */
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
