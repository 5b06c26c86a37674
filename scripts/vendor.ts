// Copies the files of GraphiQL that the gateway serves into the repository: `npm run vendor`, or
// `npm run vendor -- FOLDER` to copy them to another folder. Vendored, they add 1.5 MB to an
// installation; as dependencies, GraphiQL and React added 103 packages with 56 MB. For the same
// reason, `overrides` in package.json excludes what GraphiQL's bundle already contains.
import { cp, mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

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
