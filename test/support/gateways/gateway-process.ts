import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import packageJson from '../../../package.json' with { type: 'json' };
import { compileCache } from '../package/compile-cache.ts';
import type { Json } from './gateway.ts';

const root = join(import.meta.dirname, '../../..');

/** A gateway in a separate process. */
export interface GatewayProcess extends AsyncDisposable {
  readonly pid: number;
  /**
   * Resolves to the first log line with this message, or that matches. Rejects if the process exits
   * without one.
   */
  logged(matcher: string | ((line: Json) => boolean)): Promise<Json>;
  /** Returns the lines that it has printed so far. */
  lines(): readonly string[];
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has exited. */
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: string | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

/** A file of sources in which no zone is queried: the TLDs of tests are not those of the DNS. */
export const sourcesWithoutDns = join(root, 'test/fixtures/rdap-and-das-only.json');

/**
 * Starts the gateway like `npm start`, with only these environment variables. Without
 * `SOURCES_FILE`, it does not query the DNS, and without `CT_SEARCH_URL`, no certificate search.
 */
export function startProcess(
  env: Readonly<Record<string, string>>,
  node = process.execPath,
): GatewayProcess {
  const [, ...args] = packageJson.scripts.start.split(' ');
  return startCommand(node, args, {
    cwd: root,
    env: { SOURCES_FILE: sourcesWithoutDns, CT_SEARCH_URL: 'off', ...env },
  });
}

/** Starts the gateway by a command. */
export function startCommand(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): GatewayProcess {
  const env = { ...compileCache, ...(options.env ?? process.env) };
  const child = spawn(command, args, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const errors: string[] = [];
  const waiting = new Set<() => void>();
  const stdout = createInterface({ input: child.stdout });
  stdout.on('line', (line) => {
    lines.push(line);
    for (const check of waiting) check();
  });
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => ({
    code: code as number | null,
    signal: signal as string | null,
    stdout: lines.join('\n'),
    stderr: errors.join(''),
  }));
  const find = (matcher: (line: Json) => boolean) =>
    lines.map((line): Json => JSON.parse(line)).find(matcher);

  return {
    pid: child.pid ?? 0,
    ended,
    lines: () => [...lines],
    kill: (signal) => void child.kill(signal),
    logged: (matcher) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const line = find(typeof matcher === 'string' ? ({ msg }) => msg === matcher : matcher);
          if (line === undefined) return;
          waiting.delete(check);
          resolve(line);
        };
        waiting.add(check);
        check();
        void ended.then(({ stderr }) =>
          reject(new Error(`The gateway exited before logging "${String(matcher)}": ${stderr}`)),
        );
      }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
