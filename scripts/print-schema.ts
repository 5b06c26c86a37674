import { writeFile } from 'node:fs/promises';
import { format } from 'prettier';
import packageJson from '../package.json' with { type: 'json' };
import { openapiDocument } from '../src/app/openapi.ts';
import { schema } from '../src/app/schema.ts';
import { printWithDirectives } from '../src/schema/print-schema.ts';

/** Returns the GraphQL schema in SDL, formatted. */
export function printedSchema(): Promise<string> {
  return format(printWithDirectives(schema), { ...packageJson.prettier, parser: 'graphql' });
}

/** Returns the OpenAPI document as formatted JSON. */
export function printedOpenapi(): Promise<string> {
  return format(JSON.stringify(openapiDocument()), { ...packageJson.prettier, parser: 'json' });
}

if (import.meta.main) {
  await writeFile(new URL('../schema/schema.graphql', import.meta.url), await printedSchema());
  await writeFile(new URL('../schema/openapi.json', import.meta.url), await printedOpenapi());
}
