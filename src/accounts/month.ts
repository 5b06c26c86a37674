/** A calendar month in UTC, e.g. `2026-11`. */
export type Month = string;

export function monthOf(now: number): Month {
  return new Date(now).toISOString().slice(0, 7);
}

/** When the next month begins, in milliseconds since the epoch. */
export function nextMonthAfter(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
