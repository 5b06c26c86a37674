import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../support/package/run.ts';
import { startChildProcess, type ChildProcess } from './part.ts';

const folder = join(import.meta.dirname, 'baselines');

/**
 * Runs a file of `baselines/`. Its packages are installed on first use, as they need another
 * version of graphql.
 */
export async function baselinePart<Ready>(
  file: string,
  ...args: readonly string[]
): Promise<ChildProcess<Ready>> {
  if (!existsSync(join(folder, 'node_modules'))) await install();
  return startChildProcess<Ready>(join(folder, file), ...args);
}

async function install(): Promise<void> {
  console.log('Installing the baselines (test/bench/baselines)');
  const { code, stderr } = await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: folder,
  });
  if (code !== 0) throw new Error(`npm ci failed in ${folder}: ${stderr}`);
}
