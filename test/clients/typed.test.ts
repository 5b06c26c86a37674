import { copyFile, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema, findSchemaChanges } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { startGateway } from '../support/gateway.ts';
import { startMeteredGateway } from '../support/metered-gateway.ts';
import { projectFolder, run } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { printedIntrospection } from './print-introspection.ts';
import { describeRow, searchQuery } from './typed.ts';
import { urqlClient } from './urql.ts';

const here = import.meta.dirname;

describe('the types of a front end', () => {
  it('are made from the schema as it is: `node test/clients/print-introspection.ts` prints them', async () => {
    expect(await readFile(join(here, 'introspection.ts'), 'utf8')).toBe(printedIntrospection());
  });

  it('may be made by gql.tada from a running gateway, with a key where it wants one', async () => {
    await using folder = await scratch();
    await using metered = await startMeteredGateway();
    const { key } = await metered.newCustomer();
    const file = join(folder.path, 'schema.graphql');
    const generate = [
      'generate-schema',
      `${metered.gateway.url}/graphql`,
      '--output',
      file,
      '--header',
      `X-API-Key: ${key}`,
    ];
    await run(process.execPath, ['node_modules/gql.tada/bin/cli.js', ...generate]);
    expect(findSchemaChanges(buildSchema(await readFile(file, 'utf8')), schema)).toEqual([]);
  });

  it('hold for what the gateway answers, deferred parts included', async () => {
    await using gateway = await startGateway();
    const said = new Set<string>();
    const variables = { name: 'taken', tlds: ['test', 'zz'] };
    const query = urqlClient(`${gateway.url}/graphql`).query(searchQuery, variables);
    await new Promise<void>((resolve) => {
      query.subscribe(({ data, hasNext }) => {
        for (const row of data?.domains ?? []) said.add(describeRow(row));
        if (!hasNext) resolve();
      });
    });
    expect(Array.from(said)).toEqual(
      expect.arrayContaining([
        'taken.test: loading',
        expect.stringMatching(/^taken\.test: registered with .+ until 20/),
        'taken.zz: unknown',
      ]),
    );
  });

  it.each([
    {
      what: 'what fits',
      text: 'const row: Row = { domain: "a.test" }; describeRow(row);',
      errors: [],
    },
    {
      what: 'a deferred field that may not be there yet',
      text: 'export const status = (row: Row) => row.status;',
      errors: ["Property 'status' does not exist"],
    },
    {
      what: 'a status that the schema does not have',
      text: 'export const sold = (row: Row) => "status" in row && row.status === "SOLD";',
      errors: ['have no overlap'],
    },
    {
      what: 'a variable that is missing',
      text: 'export const variables: VariablesOf<typeof searchQuery> = { name: "a" };',
      errors: ["Property 'tlds' is missing"],
    },
  ])('tell the compiler of $what', async ({ text, errors }) => {
    const imports = `import type { ResultOf, VariablesOf } from 'gql.tada';\nimport { describeRow, searchQuery } from './typed.ts';\n`;
    const row = `type Row = NonNullable<ResultOf<typeof searchQuery>['domains']>[number];\n`;
    const unused =
      'export type Used = [VariablesOf<typeof searchQuery>, Row, typeof describeRow];\n';
    const said = await compiled({ 'use.ts': imports + row + unused + text });
    expect(said).toEqual(errors.map((error) => expect.stringContaining(error)));
  });

  it('break the build when the schema loses a field that is used', async () => {
    const introspection = await readFile(join(here, 'introspection.ts'), 'utf8');
    const said = await compiled({
      'introspection.ts': introspection.replace('"name":"expiresAt"', '"name":"endsAt"'),
    });
    expect(said).toEqual([expect.stringContaining("'slice' does not exist")]);
  });
});

/** What the compiler has to say of the typed example, with these files beside it or in place of its own. */
async function compiled(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await using folder = await scratch();
  const path = (name: string) => join(folder.path, name);
  await symlink(join(projectFolder, 'node_modules'), path('node_modules'));
  for (const name of ['typed.ts', 'introspection.ts']) await copyFile(join(here, name), path(name));
  const tsconfig = { extends: join(projectFolder, 'tsconfig.json'), include: [path('*.ts')] };
  for (const [name, text] of Object.entries({
    ...files,
    'tsconfig.json': JSON.stringify(tsconfig),
  }))
    await writeFile(path(name), text);
  await writeFile(path('package.json'), '{"type":"module"}');
  const { stdout } = await run(process.execPath, [
    'node_modules/typescript/bin/tsc',
    '-p',
    path('tsconfig.json'),
    '--pretty',
    'false',
  ]);
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}
