/** A calendar month in UTC, e.g. `2026-11`. */
export type Month = string;

export function monthOf(now: number): Month {
  const date = new Date(now);
  return `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`;
}

/** When a month is over, in milliseconds since the epoch. */
export function endOf(month: Month): number {
  return Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)));
}
