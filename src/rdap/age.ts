/**
 * Returns the age of a response in seconds: the largest of its `Age` values and of what its `Date` implies (RFC 9111 section 4.2.3). An
 * `Age` or `Date` that cannot be read makes it Infinity. A `Date` up to five minutes old is taken for clock skew and counts as 0.
 */
export function responseAge(age: readonly string[], date: readonly string[], now: number): number {
  return Math.max(0, ...age.flatMap((line) => line.split(',')).map(ageSeconds), ...date.map((value) => secondsSince(value, now)));
}

const toleratedSkewSeconds = 5 * 60;

function ageSeconds(text: string): number {
  return /^\s*\d+\s*$/.test(text) ? Number(text) : Infinity;
}

function secondsSince(date: string, now: number): number {
  const sentAt = Date.parse(date);
  if (Number.isNaN(sentAt)) return Infinity;
  const seconds = (now - sentAt) / 1000;
  return seconds > toleratedSkewSeconds ? seconds : 0;
}
