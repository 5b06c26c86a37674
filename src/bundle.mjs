// Plain JavaScript, because it decides at each start whether the sources or their bundle runs, before
// anything else is loaded.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

export const root = realpathSync(join(import.meta.dirname, '..'));

/** The programs of the project and their threads, which `scripts/bundle.mjs` bundles. */
export const programs = ['src/main.ts', 'src/cli/main.ts', 'src/cli/keys/keys.ts'];
export const threads = ['src/storage/sqlite/worker.ts', 'src/cli/commands/derive-worker.ts'];

export const bundles = join(root, 'node_modules/.cache/bundle');
export const manifestFile = join(bundles, 'current.json');

/** Where to find the threads of a program in the same bundle, as data for its threads. */
const environmentKey = 'rdap-gateway bundle';

/** Servers that run for longer bundle the sources for the next start. */
const bundledAfterMs = 5000;

/**
 * Lets Node run the bundle instead of the sources if this process runs a program of the project, and
 * the bundle was built from the files as they are. Threads run what their program runs.
 */
export function useBundle() {
  const entries = isMainThread ? programEntries() : getEnvironmentData(environmentKey);
  if (entries === undefined) return;

  setEnvironmentData(environmentKey, entries);
  module.setSourceMapsSupport(true, { nodeModules: true });
  module.registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const url = entries[resolved.url];
      return url === undefined ? resolved : { ...resolved, url, format: 'module' };
    },
  });
}

function programEntries() {
  if (!programs.some((path) => process.argv[1] === join(root, path)) || isDebugged())
    return undefined;

  const entries = readEntries();
  const canBundle = entries === undefined && existsSync(join(root, 'node_modules/rolldown'));
  // No process can be started with `--permission`, for example; the sources then run again.
  if (canBundle) setTimeout(() => void bundle().catch(() => {}), bundledAfterMs).unref();

  return entries;
}

/** Bundles the sources in a process of its own, which writes nothing if that fails. */
async function bundle() {
  const { spawn } = await import('node:child_process');
  const options = { detached: true, stdio: 'ignore' };
  const child = spawn(process.execPath, [join(root, 'scripts/bundle.mjs')], options);
  child.on('error', () => {}).unref();
}

/** Describes a file so that each change of it is seen, even if its time of modification is set back. */
export function describeFile(path) {
  const { size, mtimeMs, ctimeMs } = statSync(path);
  return `${size} ${mtimeMs} ${ctimeMs}`;
}

/** Returns the URLs of the bundled entries by those of their sources, or undefined if any file differs. */
export function readEntries() {
  try {
    const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
    const isFresh =
      manifest.root === root &&
      manifest.files.every(([path, description]) => describeFile(path) === description);
    return isFresh ? manifest.entries : undefined;
  } catch {
    return undefined;
  }
}

/** Tells whether a debugger or `node --watch` needs the sources themselves. */
function isDebugged() {
  const { WATCH_REPORT_DEPENDENCIES: watched, NODE_OPTIONS: options = '' } = process.env;
  return watched !== undefined || [options, ...process.execArgv].join(' ').includes('--inspect');
}
