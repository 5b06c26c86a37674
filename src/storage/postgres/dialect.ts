import type { SqlDialect } from '../../shared/sql-database.ts';

/** Nodes share the database's clock: their own differ. */
export const postgresDialect: SqlDialect = {
  each: (parameter) => `json_array_elements_text(${parameter}::json) AS each(value)`,
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  time: (parameter) => `coalesce(${parameter}, epoch_ms())`,
  month: (parameter) => `month_of(coalesce(${parameter}, epoch_ms()))`,
  toTexts: (parameter) => `ARRAY(SELECT json_array_elements_text(${parameter}::json))`,
  fromTexts: (column) => `array_to_json(${column})::text`,
};
