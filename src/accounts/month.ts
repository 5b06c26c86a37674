/** A calendar month in UTC, e.g. `2026-11`. */
export type Month = string;

/** Returns the month (UTC) that contains `now`, in milliseconds since the epoch. */
export function monthOf(now: number): Month {
  const date = new Date(now);
  // Each charge needs the month. `toISOString` takes ten times as long.
  return `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`;
}

/** Returns the end of a month, in milliseconds since the epoch. */
export function endOfMonth(month: Month): number {
  return Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)));
}
