import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder, run } from '../support/package/run.ts';
import { scratch } from '../support/stores/scratch.ts';

/** The files of another commit in a temporary folder, with its packages. */
export interface OtherTree extends AsyncDisposable {
  readonly path: string;
}

/** Why another commit cannot be measured. */
export interface NotComparable {
  readonly reason: string;
}

/**
 * Extracts a commit. It gets the packages of the working tree, or its own if they have other versions.
 * Returns the reason if the clone does not have it, or its packages cannot be installed.
 */
export async function openOtherTree(revision: string): Promise<OtherTree | NotComparable> {
  const commit = await git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`);
  if (commit === undefined)
    return {
      reason: `This clone has no commit ${revision}. In a shallow clone, fetch its history.`,
    };
  const id = commit.trim();
  const there = await git('show', `${id}:package-lock.json`);
  const here = await readFile(join(projectFolder, 'package-lock.json'), 'utf8');
  if (there === undefined) return { reason: `${revision} has no package-lock.json.` };
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await scratch());
  const index = { GIT_INDEX_FILE: join(folder.path, 'index') };
  const path = join(folder.path, 'tree');
  await mustGit(index, 'read-tree', id);
  await mustGit(index, 'checkout-index', '--all', `--prefix=${path}/`);
  if (packagesIn(there) === packagesIn(here))
    await symlink(join(projectFolder, 'node_modules'), join(path, 'node_modules'));
  else {
    const { code, stderr } = await run('npm', install, { cwd: path });
    if (code !== 0) return { reason: `The packages of ${revision} were not installed: ${stderr}` };
  }
  const extracted = parts.move();
  return { path, [Symbol.asyncDispose]: () => extracted.disposeAsync() };
}

const install = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];

/**
 * Returns the installed versions of the packages that the gateway runs with, in a form that can be
 * compared. Packages for development do not affect it.
 */
function packagesIn(lock: string): string {
  const { packages } = JSON.parse(lock) as {
    readonly packages: Readonly<
      Record<string, { readonly version?: string; readonly dev?: boolean; readonly link?: boolean }>
    >;
  };
  const installed = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link,
  );
  return JSON.stringify(installed.map(([path, { version }]) => [path, version]).toSorted());
}

/** Returns what git prints; undefined if it fails. */
async function git(...args: readonly string[]): Promise<string | undefined> {
  const { code, stdout } = await run('git', args);
  return code === 0 ? stdout : undefined;
}

async function mustGit(env: Record<string, string>, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await run('git', args, { env: { ...process.env, ...env } });
  if (code !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`);
}
