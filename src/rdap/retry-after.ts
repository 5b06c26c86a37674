const longestSeconds = 120;

/** Seconds that a `Retry-After` asks for (RFC 9110 section 10.2.3), seconds or a date, capped at 120; undefined when it says nothing. */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), longestSeconds);
}
