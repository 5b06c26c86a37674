const longestSeconds = 120;

/** Seconds that a `Retry-After` asks for (RFC 9110 section 10.2.3), seconds or a date, capped at 120; undefined when it says nothing. */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (httpDate(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), longestSeconds);
}

/** RFC 9110 section 5.6.7: all three forms begin with the day of the week and mean GMT. `Date.parse` alone reads a date into `-1` too. */
function httpDate(text: string): number {
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
