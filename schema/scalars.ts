import { builder } from './builder.ts';

builder.scalarType('DateTime', {
  description:
    'RFC 3339 date and time in UTC, such as `2026-01-31T00:00:00.000Z`. A registry date without a time zone is read as UTC.',
  // Dates of a registration are strings in this format already.
  serialize: (value) => (typeof value === 'string' ? value : new Date(value).toISOString()),
});

builder.scalarType('JSON', {
  description: "Any JSON value: a registry's raw RDAP object, as sent (RFC 9083).",
  serialize: (value) => value,
});
