/** A calendar month in UTC, e.g. `2026-11`. */
export type Month = string;

export function monthOf(now: number): Month {
  return new Date(now).toISOString().slice(0, 7);
}

/** When a month is over, in milliseconds since the epoch. */
export function endOf(month: Month): number {
  const [year, number] = month.split('-').map(Number);
  return Date.UTC(year ?? 0, number ?? 0);
}
