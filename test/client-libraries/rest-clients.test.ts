import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMeteredGateway, type MeteredGateway } from '../support/metered-gateway.ts';
import { projectFolder, run, type Ran } from '../support/run.ts';
import { scratch, type Scratch } from '../support/scratch.ts';
import { toolPath } from './tool-path.ts';

const here = import.meta.dirname;
const document = join(projectFolder, 'schema/openapi.json');

let metered: MeteredGateway;
let folder: Scratch;
beforeAll(async () => {
  metered = await startMeteredGateway();
  folder = await scratch();
  // Some of the libraries are installed in the project's folder, and those whose dependencies differ in this one.
  await symlink(join(projectFolder, 'node_modules'), join(folder.path, 'node_modules'));
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await metered[Symbol.asyncDispose]();
});

interface Client {
  readonly name: string;
  /** Writes the generated code into the folder `generated`. */
  readonly generate: (generated: string) => Promise<Ran>;
  /** Compiler options that the generated code does not support. */
  readonly unsupported?: Readonly<Record<string, false>>;
}

const node = (...args: readonly string[]) => run(process.execPath, args);

const clients: readonly Client[] = [
  {
    name: 'openapi-fetch',
    generate: (generated) => node(toolPath('openapi-typescript', 'bin/cli.js'), document, '--output', join(generated, 'openapi.d.ts')),
  },
  {
    name: 'hey-api',
    generate: (generated) => {
      const options = ['--input', document, '--output', join(generated, 'hey-api'), '--client', '@hey-api/client-fetch'];
      return node('--import', join(here, 'typescript-for-generators.ts'), toolPath('@hey-api/openapi-ts', 'dist/run.mjs'), ...options);
    },
    unsupported: { exactOptionalPropertyTypes: false },
  },
  {
    name: 'orval',
    generate: async (generated) => {
      const output = { target: join(generated, 'orval.ts'), client: 'fetch', baseUrl: metered.gateway.url };
      const config = join(generated, 'orval.config.mjs');
      await writeFile(config, `export default ${JSON.stringify({ gateway: { input: document, output } })};`);
      return node(toolPath('orval', 'dist/bin/orval.mjs'), '--config', config);
    },
  },
];

describe.each(clients)('a client that is generated for $name', ({ name, generate, unsupported = {} }) => {
  const path = (file = '') => join(folder.path, name, file);

  it('is generated without errors', async () => {
    await mkdir(path('generated'), { recursive: true });
    await symlink(join(here, 'node_modules'), path('node_modules'));
    expect(await generate(path('generated'))).toMatchObject({ code: 0 });
  });

  it('compiles in strict mode, with the types of the document', async () => {
    for (const file of [`${name}.ts`, 'same.ts']) await copyFile(join(here, 'rest', file), path(file));
    await writeFile(path('package.json'), '{"type":"module"}');
    const compilerOptions = { ...strict, ...unsupported, outDir: path('compiled') };
    await writeFile(path('tsconfig.json'), JSON.stringify({ compilerOptions, files: [path(`${name}.ts`)] }));
    const { code, stdout } = await node(toolPath('typescript', 'bin/tsc'), '-p', path('tsconfig.json'), '--pretty', 'false');
    expect([code, stdout]).toEqual([0, '']);
  });

  it('gets what the gateway returns', async () => {
    const { key } = await metered.newCustomer();
    const { stdout, stderr } = await node(path(`compiled/${name}.js`), metered.gateway.url, key);
    expect([stderr, JSON.parse(stdout)]).toEqual(['', expected]);
  });
});

const expected = {
  status: [
    ['taken.test', 'registered'],
    ['taken.zz', 'unsupported_tld'],
  ],
  registrar: 'Sandbox Registrar Ltd',
  bulk: [
    ['taken.test', false],
    ['free.test', true],
  ],
  tlds: [['example', 'gtld']],
  // `.example`, a hundred others, and the one that every gateway of the tests has.
  coverage: 102,
  problem: [400, 'invalid_parameter', 'limit'],
};

const strict = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
};
