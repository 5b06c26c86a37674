const dayMs = 86_400_000;
const units = [
  { unit: 'year', days: 365, from: 730 },
  { unit: 'month', days: 30.4, from: 90 },
  { unit: 'day', days: 1, from: 1 },
] as const;
const relative = new Intl.RelativeTimeFormat('en');
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/**
 * Returns a date of a registry as people read it, such as `14 Jan 2027, in 47 days`; a text that is
 * none as it is. `now` is in milliseconds since the epoch.
 */
export function readableDate(text: string, now: number): string {
  const time = Date.parse(text);
  if (!/^\d{4}-\d{2}-\d{2}T/.test(text) || Number.isNaN(time)) return text;
  const days = Math.round((time - now) / dayMs);
  const found = units.find(({ from }) => Math.abs(days) >= from);
  const distance = found ? relative.format(Math.round(days / found.days), found.unit) : 'today';
  return `${absolute.format(time)}, ${distance}`;
}
