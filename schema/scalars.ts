import { builder } from './builder.ts';

builder.scalarType('DateTime', {
  description:
    'A moment: RFC 3339 in UTC, such as `2026-01-31T00:00:00.000Z`. A date that a registry sends without a zone is taken as UTC.',
  // Of a registration they are written so already.
  serialize: (value) => (typeof value === 'string' ? value : new Date(value).toISOString()),
});

builder.scalarType('JSON', {
  description: "Any JSON value, as it was sent: here, a registry's own RDAP object (RFC 9083).",
  serialize: (value) => value,
});
