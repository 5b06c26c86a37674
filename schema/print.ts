import { writeFile } from 'node:fs/promises';
import { printSchema } from 'graphql';
import { schema } from './schema.ts';

/** The schema as text. */
export function printedSchema(): string {
  return `${printSchema(schema)}\n`;
}

if (import.meta.main) await writeFile(new URL('schema.graphql', import.meta.url), printedSchema());
