// Builds `dist/`, which the npm package contains, because Node does not strip types below
// `node_modules`: `npm run build`; `npm pack` and `npm publish` run it, too. `dist/` has the layout
// of the repository, so that relative paths to other files are the same in both.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleElement } from './bundle-element.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const compiler = join(root, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', 'scripts/tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
for (const path of filesBesideCode()) cpSync(join(root, path), join(dist, path));
for (const [name, code] of await bundleElement())
  writeFileSync(join(dist, 'src/client', name), code);
writeManifest();
addAttributes();

/** Returns the files that the code reads or serves. */
function filesBesideCode(): readonly string[] {
  const inSource = globSync('src/**', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const others = [
    'CHANGELOG.md',
    'docs/*.md',
    'docs/reference/*.md',
    'docs/*.svg',
    'docs/reference/*.svg',
    'schema/schema.graphql',
    'schema/openapi.json',
  ];

  return [...inSource, ...globSync(others, { cwd: root })];
}

/** Adds the attributes of JSON imports, which the compiler omits from declarations. */
function addAttributes(): void {
  for (const path of globSync('**/*.d.ts', { cwd: dist })) {
    const file = join(dist, path);
    const text = readFileSync(file, 'utf8');
    const complete = text.replaceAll(/ from '[^']+\.json'(?=;)/g, "$& with { type: 'json' }");
    if (complete !== text) writeFileSync(file, complete);
  }
}

/** Replaces the copy of package.json, which the code imports, by what the code reads. */
function writeManifest(): void {
  const { name, version, description, license, type } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const manifest = JSON.stringify({ name, version, description, license, type }, null, 2);
  writeFileSync(join(dist, 'package.json'), `${manifest}\n`);
}
