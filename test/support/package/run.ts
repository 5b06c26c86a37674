import { spawn, type SpawnOptions } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { compileCache } from './compile-cache.ts';

/** The outcome of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const projectFolder = join(import.meta.dirname, '../../..');

/** Runs a command in the project's folder until it exits. */
export async function run(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<CommandResult> {
  const child = spawn(command, args, {
    cwd: projectFolder,
    ...options,
    env: { ...compileCache, ...(options.env ?? process.env) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), code]);
  return { code: await code, stdout, stderr };
}
