import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import packageJson from '../../package.json' with { type: 'json' };
import type { Json } from './gateway.ts';

const root = join(import.meta.dirname, '../..');

export interface GatewayProcess extends AsyncDisposable {
  readonly pid: number;
  /** The first log line whose message is this, or that is the one. Rejects when the process ends without it. */
  logged(wanted: string | ((line: Json) => boolean)): Promise<Json>;
  kill(signal: NodeJS.Signals): void;
  /** Settles when the process has ended. */
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: string | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

/** Starts the gateway as `npm start` does, with these variables and no others. */
export function startProcess(
  env: Readonly<Record<string, string>>,
  node = process.execPath,
): GatewayProcess {
  const [, ...args] = packageJson.scripts.start.split(' ');
  return startCommand(node, args, { cwd: root, env });
}

/** Starts a command that is the gateway. */
export function startCommand(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): GatewayProcess {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const errors: string[] = [];
  const waiting = new Set<() => void>();
  const stdout = createInterface({ input: child.stdout });
  stdout.on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => ({
    code: code as number | null,
    signal: signal as string | null,
    stdout: lines.join('\n'),
    stderr: errors.join(''),
  }));
  const find = (wanted: (line: Json) => boolean) =>
    lines.map((line): Json => JSON.parse(line)).find(wanted);

  return {
    pid: child.pid ?? 0,
    ended,
    kill: (signal) => void child.kill(signal),
    logged: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const line = find(typeof wanted === 'string' ? ({ msg }) => msg === wanted : wanted);
          if (line === undefined) return;
          waiting.delete(look);
          resolve(line);
        };
        waiting.add(look);
        look();
        void ended.then(({ stderr }) =>
          reject(new Error(`The gateway ended before "${String(wanted)}": ${stderr}`)),
        );
      }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
