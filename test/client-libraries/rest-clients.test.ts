import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unlistedServers } from '../../src/registries/directory/suffix-sources.ts';
import { dasTlds } from '../../src/registries/whois/das-services.ts';
import { startMeteredGateway, type MeteredGateway } from '../support/gateways/metered-gateway.ts';
import { projectFolder } from '../support/package/run.ts';
import { openClientProgram, type ClientProgram } from './client-program.ts';

const document = join(projectFolder, 'schema/openapi.json');

let metered: MeteredGateway;
beforeAll(async () => {
  metered = await startMeteredGateway();
});
afterAll(() => metered[Symbol.asyncDispose]());

interface Client {
  readonly name: string;
  /** Writes the generated code into the folder `generated` of the program. */
  readonly generate: (program: ClientProgram) => Promise<void>;
  /** Compiler options that the generated code does not support. */
  readonly unsupported?: Readonly<Record<string, false>>;
}

const clients: readonly Client[] = [
  {
    name: 'openapi-fetch',
    generate: (program) =>
      program.generate(
        'openapi-typescript',
        'bin/cli.js',
        document,
        '--output',
        'generated/openapi.d.ts',
      ),
  },
  {
    name: 'hey-api',
    generate: (program) => {
      const options = [
        '--input',
        document,
        '--output',
        'generated/hey-api',
        '--client',
        '@hey-api/client-fetch',
      ];
      return program.generate('@hey-api/openapi-ts', 'dist/run.mjs', ...options);
    },
    unsupported: { exactOptionalPropertyTypes: false },
  },
  {
    name: 'orval',
    generate: async (program) => {
      const output = {
        target: 'generated/orval.ts',
        client: 'fetch',
        baseUrl: metered.gateway.url,
      };
      const config = `export default ${JSON.stringify({ gateway: { input: document, output } })};`;
      await writeFile(join(program.path, 'orval.config.mjs'), config);
      await program.generate('orval', 'dist/bin/orval.mjs', '--config', 'orval.config.mjs');
    },
  },
];

/** Sufficient for a generator and a compiler on a busy machine. */
const timeout = 120_000;

it.each(clients)(
  'a client generated for $name compiles in strict mode, has the types of the document, and reads the responses',
  { timeout },
  async ({ name, generate, unsupported = {} }) => {
    await using program = await openClientProgram(name, {
      type: 'module',
      compilerOptions: { ...strictest, ...unsupported },
    });
    await generate(program);
    expect(await program.compile()).toEqual([]);
    const { key } = await metered.newCustomer();
    expect(await program.run(metered.gateway.url, key)).toEqual({
      status: [
        ['taken.test', 'registered'],
        ['taken.zz', 'unsupported_tld'],
      ],
      registrar: 'Sandbox Registrar Ltd',
      bulk: [
        ['taken.test', false],
        ['free.test', true],
      ],
      tlds: [['ac', 'cctld']],
      // `.example`, `.google`, a hundred others, the one that every test gateway has, and the built-in ones, `.us` among them.
      coverage: 103 + new Set([...unlistedServers.keys(), ...dasTlds]).size,
      problem: [400, 'invalid_parameter', 'limit'],
    });
  },
);

const strictest = {
  exactOptionalPropertyTypes: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
};
