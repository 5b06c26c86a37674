import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { npm } from './npm.ts';
import { projectFolder, run, type CommandResult } from './run.ts';

/** The package as `npm pack` makes it, installed in an empty folder. */
export interface InstalledPackage {
  readonly folder: string;
  /** The paths in the tarball. */
  readonly files: readonly string[];
  /** The paths of all installed packages. */
  readonly packages: readonly string[];
  /** What npm printed about the installation. */
  readonly warnings: string;
  /** Runs a command in the folder, with the Node of the consumer. */
  run(command: string, args: readonly string[]): Promise<CommandResult>;
}

/** The Node of the consumer: `scripts/check-package.ts` sets it. */
export const consumerNode = process.env['CONSUMER_NODE'] ?? process.execPath;

/**
 * Packs the project and installs the tarball in `folder`. Express and Fastify are those of the
 * project. Rejects with `Offline`.
 */
export async function installPackage(folder: string): Promise<InstalledPackage> {
  const { stdout } = await npm(`pack --json --pack-destination ${folder}`, projectFolder);
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; files: { path: string }[] },
  ];
  const home = join(folder, 'consumer');
  await mkdir(join(home, 'cache'), { recursive: true });
  await writeFile(join(home, 'package.json'), '{ "private": true, "type": "module" }');
  const env = {
    ...process.env,
    PATH: `${dirname(consumerNode)}${delimiter}${process.env['PATH']}`,
    XDG_CACHE_HOME: join(home, 'cache'),
  };
  const packages = `../${filename} @graphql-tools/stitch`;
  const { stderr } = await npm(`install --no-audit --no-fund ${packages}`, home, env);
  const lock = await readFile(join(home, 'node_modules/.package-lock.json'), 'utf8');
  for (const name of ['express', 'fastify', '@types'])
    await symlink(join(projectFolder, 'node_modules', name), join(home, 'node_modules', name));
  return {
    folder: home,
    files: files.map(({ path }) => path),
    packages: Object.keys(JSON.parse(lock).packages),
    warnings: stderr,
    run: (command, args) => run(command, args, { cwd: home, env }),
  };
}

/** Returns the manifest of the installed package. */
export async function installedManifest({ folder }: InstalledPackage): Promise<object> {
  return JSON.parse(
    await readFile(join(folder, 'node_modules/rdap-graphql-gateway/package.json'), 'utf8'),
  );
}
