import type { SqlDialect } from '../../shared/sql-database.ts';

/** Writers wait for each other, and times are those of the gateway's clock. */
export const sqliteDialect: SqlDialect = {
  each: (parameter) => `json_each(${parameter}) AS each`,
  skipLocked: '',
  time: (parameter) => parameter,
  month: (parameter) => `strftime('%Y-%m', ${parameter} / 1000, 'unixepoch')`,
  toTexts: (parameter) => parameter,
  fromTexts: (column) => column,
};
