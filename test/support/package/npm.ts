import { run } from './run.ts';

/** npm cannot reach its registry. */
export class Offline extends Error {}

/**
 * Runs a command of npm in a folder. Resolves to its output. Rejects with `Offline`, or if it fails.
 */
export async function npm(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { code, stdout, stderr } = await run('sh', ['-c', `npm ${command}`], { cwd, env });
  if (/\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH)\b/.test(stderr))
    throw new Offline('npm cannot reach its registry.');
  if (code !== 0) throw new Error(`npm ${command}: ${stderr}`);
  return { stdout, stderr };
}
