import { join } from 'node:path';
import { sourcesWithoutDns } from './gateway-process.ts';
import { projectFolder, run, type CommandResult } from './run.ts';

export const commandLineProgram = [process.execPath, 'src/cli/main.ts'] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the environment for the command line: without a network, and with the folder of a test as
 * the user's cache.
 */
export function commandLineEnvironment(cacheFolder: string): Environment {
  return {
    PATH: process.env['PATH'],
    XDG_CACHE_HOME: cacheFolder,
    // Shared by all tests: compiling takes longer than the rest of a command.
    NODE_COMPILE_CACHE: join(projectFolder, 'node_modules/.cache/compiled'),
    RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1/dns.json',
    RDAP_ALLOW_PRIVATE: 'true',
    SOURCES_FILE: sourcesWithoutDns,
    CT_SEARCH_URL: 'off',
  };
}

/** Runs `rdap-gateway` with its output in a pipe. */
export function runCommandLine(args: readonly string[], env: Environment): Promise<CommandResult> {
  const [program, entry] = commandLineProgram;
  return run(program, [entry, ...args], { env });
}
