import { RecentMap } from '../src/recent-map.ts';
import { builder } from './builder.ts';

builder.scalarType('DateTime', {
  description:
    'A moment: RFC 3339 in UTC, such as `2026-01-31T00:00:00.000Z`. A date that a registry sends without a zone is taken as UTC.',
  // Of a registration they are written so already.
  serialize: (value) => (typeof value === 'string' ? value : written(value)),
});

/** What is remembered is told again and again, with the same moments. */
const lately = new RecentMap<number, string>(1000);

function written(moment: number): string {
  const known = lately.get(moment);
  if (known !== undefined) return known;
  const text = new Date(moment).toISOString();
  lately.set(moment, text);
  return text;
}

builder.scalarType('JSON', {
  description: "Any JSON value, as it was sent: here, a registry's own RDAP object (RFC 9083).",
  serialize: (value) => value,
});
