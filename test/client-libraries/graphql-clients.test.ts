import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { registered, status } from '../support/bodies/replies.ts';
import { openClientProgram } from './client-program.ts';

let registry: FakeRegistry;
let failing: FakeRegistry;
let gateway: Gateway;
beforeAll(async () => {
  [registry, failing] = [await startFakeRegistry(), await startFakeRegistry()];
  registry.on(/^(?:taken|nic)/, ({ name }) => registered(name));
  failing.fallback(status(500));
  gateway = await startGateway({ registries: { com: registry.baseUrl, net: failing.baseUrl } });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all([registry.close(), failing.close()]);
});

// One row of each kind; the registry of `net` fails.
const names = ['taken.com', 'free.com', 'taken.net', 'com', 'taken.no-such-tld'];
const noData = { problem: null, rdap: null };
const rows = [
  {
    ...noData,
    id: 'taken.com',
    status: 'REGISTERED',
    available: false,
    rdap: { handle: 'FAKE-taken.com' },
  },
  { ...noData, id: 'free.com', status: 'AVAILABLE', available: true },
  {
    ...noData,
    id: 'taken.net',
    status: 'UNKNOWN',
    available: null,
    problem: { code: 'registry_error', retryable: true },
  },
  {
    ...noData,
    id: 'invalid:com',
    status: 'INVALID',
    available: null,
    problem: { code: 'invalid_name', retryable: false },
  },
  {
    ...noData,
    id: 'taken.no-such-tld',
    status: 'UNSUPPORTED_TLD',
    available: null,
    problem: { code: 'unsupported_tld', retryable: false },
  },
];
const codes = rows.map(({ problem }) => problem?.code ?? null);

/** Sufficient for a compiler on a busy machine. */
const timeout = 120_000;

it(
  'Relay refetches rows by id, paginates, and keeps objects with different ids apart in its store',
  { timeout },
  async () => {
    await using program = await openClientProgram('relay');
    await mkdir(join(program.path, '__generated__'));
    const config = {
      src: '.',
      schema: './schema.graphql',
      language: 'typescript',
      artifactDirectory: './__generated__',
      eagerEsModules: true,
    };
    await writeFile(join(program.path, 'relay.config.json'), JSON.stringify(config));
    await program.generate('relay-compiler', 'cli.js', 'relay.config.json');
    expect(await program.compile()).toEqual([]);
    expect(await program.run(gateway.url, ...names)).toMatchObject({
      rows: rows.map(({ rdap, ...row }) => ({
        ...row,
        rdap: rdap && { id: `rdap:${row.id}`, ...rdap },
      })),
      refetched: rows.map(({ id }) => id),
      pages: [
        ['test', 'shop.test', 'app.test'],
        ['test', 'shop.test', 'app.test', 'dev.test'],
      ],
      tld: { id: 'tld:com', label: 'com' },
      com: [
        { __typename: 'Domain', domain: 'com', status: 'INVALID' },
        { __typename: 'Tld', label: 'com' },
      ],
    });
  },
);

it('genql returns every row, with types, if one registry fails', { timeout }, async () => {
  await using program = await openClientProgram('genql');
  await program.generate(
    '@genql/cli',
    'dist/cli.js',
    '--schema',
    'schema.graphql',
    '--output',
    'client',
  );
  expect(await program.compile()).toEqual([]);
  const node = { id: 'taken.com', tld: 'com' };
  expect(await program.run(gateway.url, ...names)).toMatchObject({
    rows,
    codes,
    statuses: rows.map((row) => row.status),
    node,
  });
});

it(
  'graphql-request returns every row, with the types of graphql-codegen, if one registry fails',
  { timeout },
  async () => {
    await using program = await openClientProgram('codegen');
    const config = {
      schema: './schema.graphql',
      documents: ['program.ts'],
      generates: {
        './gql/': {
          preset: 'client',
          config: { useTypeImports: true, scalars: { DateTime: 'string', JSON: 'unknown' } },
        },
      },
    };
    await writeFile(join(program.path, 'codegen.json'), JSON.stringify(config));
    await program.generate('@graphql-codegen/cli', 'esm/bin.js', '--config', 'codegen.json');
    expect(await program.compile()).toEqual([]);
    expect(await program.run(gateway.url, ...names)).toEqual({
      rows,
      codes,
      phases: expect.arrayContaining(['exchange', 'queue']),
    });
    // The compiler requires that a program handles rows without a problem.
    const source = await readFile(join(program.path, 'program.ts'), 'utf8');
    await writeFile(
      join(program.path, 'program.ts'),
      source.replace('row.problem?.code', 'row.problem.code'),
    );
    expect(await program.compile()).toEqual([
      expect.stringContaining("'row.problem' is possibly 'null'"),
    ]);
  },
);
