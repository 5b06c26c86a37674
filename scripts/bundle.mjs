// Bundles the programs of the project, which then start faster: npm runs it after installing, and a
// gateway that had to start from changed sources. Without rolldown, as in production, or if the
// folder is not writable, nothing is written, and the sources run. Runs on the Node that runs npm,
// such as Node 20.
import { mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  bundles,
  describeFile,
  manifestFile,
  programs,
  readEntries,
  root,
  threads,
} from '../src/bundle.mjs';

/** A process may still load modules from the bundle that it started from. */
const keptBuilds = 2;
const keptMs = 24 * 3600 * 1000;
/** What is not a module, but decides about the bundle. npm writes the second when it installs. */
const others = [
  'package.json',
  'tsconfig.json',
  'node_modules/.package-lock.json',
  'scripts/bundle.mjs',
];
const files = new Map();

if (isWanted())
  try {
    await bundle();
  } catch (error) {
    const isExpected = ['ERR_MODULE_NOT_FOUND', 'EACCES', 'EPERM', 'EROFS'].includes(error.code);
    if (!isExpected) console.error('The programs run from their sources, without a bundle:', error);
  }

/** Another tree whose packages are linked here would overwrite the bundle of theirs. */
function isWanted() {
  const packages = join(root, 'node_modules');
  return realpathSync(packages) === packages && readEntries() === undefined;
}

async function bundle() {
  const { rolldown } = await import('rolldown');
  for (const path of others) noteFile(join(root, path));
  const folder = join(bundles, `${Date.now()}-${process.pid}`);
  mkdirSync(folder, { recursive: true });

  const build = await rolldown({
    input: Object.fromEntries(
      [...programs, ...threads].map((path) => [path.replaceAll(/\W/g, '-'), join(root, path)]),
    ),
    cwd: root,
    platform: 'node',
    plugins: [{ name: 'sources', load: noteFile, transform: keepLocation }],
  });
  const { output } = await build.write({
    dir: folder,
    // Names and syntax stay, for logs and stack traces. ASCII is read faster.
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    charset: 'ascii',
    keepNames: true,
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });

  await build.close();

  const urls = output
    .filter(({ isEntry }) => isEntry)
    .map(({ facadeModuleId, fileName }) => [facadeModuleId, join(folder, fileName)])
    .map((paths) => paths.map((path) => pathToFileURL(path).href));
  // A power failure may empty files that were written before the manifest.
  for (const { type, fileName } of output) if (type === 'chunk') noteFile(join(folder, fileName));
  const manifest = { root, entries: Object.fromEntries(urls), files: [...files] };
  const written = join(folder, 'manifest.json');
  writeFileSync(written, JSON.stringify(manifest));

  // Renamed, so that a process never reads half of it.
  renameSync(written, manifestFile);
  removeOldBuilds();
}

/** Notes the state of a file before it is read: a bundle is stale if the file changed meanwhile. */
function noteFile(id) {
  if (isAbsolute(id) && !files.has(id)) files.set(id, describeFile(id));
}

/** Makes code find the files beside its source, and not beside the bundle. */
function keepLocation(code, id) {
  if (!id.startsWith(join(root, 'src')) || !code.includes('import.meta.')) return undefined;
  const location = { url: pathToFileURL(id).href, filename: id, dirname: dirname(id) };
  const replaced = code.replaceAll(/import\.meta\.(url|filename|dirname)\b/g, (_, member) =>
    JSON.stringify(location[member]),
  );
  return { code: replaced, map: null };
}

/** Removes earlier builds, except those that a process may still use. */
function removeOldBuilds() {
  const builds = readdirSync(bundles).filter((name) => name !== basename(manifestFile));
  for (const name of builds.toSorted().slice(0, -keptBuilds))
    if (Number.parseInt(name, 10) < Date.now() - keptMs)
      rmSync(join(bundles, name), { recursive: true });
}
