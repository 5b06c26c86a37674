import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../../src/clock.ts';
import { cacheFolder } from '../../../src/cli/cache-folder.ts';
import { run as runProgram } from '../../../src/cli/run.ts';
import { sourcesWithoutDns } from './gateway-process.ts';
import { projectFolder, run, type CommandResult } from '../package/run.ts';

/** The program and its first arguments, as `npm run cli` starts it, but in any folder. */
export const commandLineProgram = [
  process.execPath,
  '--import',
  pathToFileURL(join(projectFolder, 'src/require-node.mjs')).href,
  join(projectFolder, 'src/cli/main.ts'),
] as const;

/** The same for a shell. */
export const shellCommand = commandLineProgram.map((word) => `'${word}'`).join(' ');

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the environment for the command line: without a network, and with the folder of a test as
 * the user's cache.
 */
export function commandLineEnvironment(folder: string): Environment {
  return {
    PATH: process.env['PATH'],
    XDG_CACHE_HOME: folder,
    // Shared by all tests: compiling takes longer than the rest of a command.
    NODE_COMPILE_CACHE: join(projectFolder, 'node_modules/.cache/compiled'),
    RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json',
    RDAP_ALLOW_PRIVATE: 'true',
    SOURCES_FILE: sourcesWithoutDns,
    CT_SEARCH_URL: 'off',
  };
}

/** Runs `rdap-gateway` in a process of its own, with its output in a pipe. */
export function runProcess(args: readonly string[], env: Environment): Promise<CommandResult> {
  const [program, ...entry] = commandLineProgram;
  return run(program, [...entry, ...args], { env });
}

/**
 * Runs `rdap-gateway` like its program, but in this process, whose modules are loaded already: a
 * process needs two seconds of a processor for a lookup.
 */
export async function runCommandLine(
  args: readonly string[],
  env: Environment,
  { stdin = '', clock }: { readonly stdin?: string; readonly clock?: Clock } = {},
): Promise<CommandResult> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runProgram(args, {
    environment: env,
    cacheFolder: cacheFolder(process.platform, env),
    clock,
    streams: { stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr },
  });
  return { code: code ?? null, stdout: await text(stdout.end()), stderr: await text(stderr.end()) };
}

/** Runs `rdap-gateway keys` with a store. */
export function runKeys(storeUrl: string, args: readonly string[]): Promise<CommandResult> {
  return runCommandLine(['keys', ...args], { STORE_URL: storeUrl });
}
