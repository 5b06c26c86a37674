/** A calendar month in UTC, e.g. `2026-11`. */
export type Month = string;

export function monthOf(now: number): Month {
  if (now < last.from || now >= last.until) last = readMonth(now);
  return last.month;
}

/** Each charge wants to know the same. */
let last = readMonth(0);

function readMonth(now: number) {
  const date = new Date(now);
  const [year, index] = [date.getUTCFullYear(), date.getUTCMonth()];
  const month: Month = `${year}-${String(index + 1).padStart(2, '0')}`;
  return { month, from: Date.UTC(year, index), until: endOf(month) };
}

/** When a month is over, in milliseconds since the epoch. */
export function endOf(month: Month): number {
  return Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)));
}
