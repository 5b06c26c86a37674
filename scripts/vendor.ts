// Copies the files of GraphiQL, MiniSearch and Scalar that the gateway serves into the repository: `npm run
// vendor`. It first installs the packages of `scripts/vendor/package.json`, whose `overrides` exclude
// what the bundles already contain. Vendored, the files add 6.5 MB to an installation; as
// dependencies, GraphiQL and React added 103 packages with 56 MB.
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';

// GraphiQL 3 and React 18 are the last versions with bundles for browsers; later ones need a build.
const files = [
  'graphiql/LICENSE',
  'graphiql/graphiql.min.css',
  'graphiql/graphiql.min.js',
  'minisearch/LICENSE.txt',
  'react/LICENSE',
  'react/umd/react.production.min.js',
  'react-dom/LICENSE',
  'react-dom/umd/react-dom.production.min.js',
];

const folder = join(import.meta.dirname, 'vendor');
const packages = join(folder, 'node_modules');
const target = join(import.meta.dirname, '../src/website/vendor');

// npm is a script for the shell on Windows.
const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
execFileSync('npm', options, {
  cwd: folder,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});

await rm(target, { recursive: true, force: true });
for (const file of files) {
  const [packageName = ''] = file.split('/');
  const copy = join(target, packageName, basename(file, '.txt'));
  await mkdir(dirname(copy), { recursive: true });
  await cp(join(packages, file), copy);
}

const minisearch = await readFile(join(packages, 'minisearch/dist/es/index.js'), 'utf8');
await writeFile(join(target, 'minisearch/minisearch.js'), withoutSourceMap(minisearch));

// The smallest package that contains Scalar's bundle for browsers has it as a string literal.
const scalar = join(packages, '@scalar/fastify-api-reference');
const source = await readFile(join(scalar, 'dist/index.js'), 'utf8');
const [, literal = ''] = /^var standalone_default = (".*");$/m.exec(source) ?? [];
const script = String(runInNewContext(literal));
await mkdir(join(target, 'scalar'));
await cp(join(scalar, 'LICENSE'), join(target, 'scalar/LICENSE'));
await writeFile(join(target, 'scalar/scalar.js'), withoutSourceMap(script));

function withoutSourceMap(text: string): string {
  return text.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
}
