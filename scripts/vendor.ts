// Copies the files of GraphiQL and Scalar that the gateway serves into the repository: `npm run
// vendor`, or `npm run vendor -- FOLDER` to copy them to another folder. Vendored, they add 6.5 MB
// to an installation; as dependencies, GraphiQL and React added 103 packages with 56 MB. For the
// same reason, `overrides` in package.json excludes what the bundles already contain.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';

// GraphiQL 3 and React 18 are the last versions with bundles for browsers; later ones need a build.
const files = [
  'graphiql/LICENSE',
  'graphiql/graphiql.min.css',
  'graphiql/graphiql.min.js',
  'react/LICENSE',
  'react/umd/react.production.min.js',
  'react-dom/LICENSE',
  'react-dom/umd/react-dom.production.min.js',
];

const packages = join(import.meta.dirname, '../node_modules');
const target = process.argv[2] ?? join(import.meta.dirname, '../src/http/pages/vendor');

await rm(target, { recursive: true, force: true });
for (const file of files) {
  const [packageName = ''] = file.split('/');
  const copy = join(target, packageName, basename(file));
  await mkdir(dirname(copy), { recursive: true });
  await cp(join(packages, file), copy);
}

// The smallest package that contains Scalar's bundle for browsers has it as a string literal.
const scalar = join(packages, '@scalar/fastify-api-reference');
const source = await readFile(join(scalar, 'dist/index.js'), 'utf8');
const [, literal = ''] = /^var standalone_default = (".*");$/m.exec(source) ?? [];
const script = String(runInNewContext(literal));
await mkdir(join(target, 'scalar'));
await cp(join(scalar, 'LICENSE'), join(target, 'scalar/LICENSE'));
await writeFile(
  join(target, 'scalar/scalar.js'),
  script.replace(/\n\/\/# sourceMappingURL=.*$/, '\n'),
);
