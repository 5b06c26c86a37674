import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../support/run.ts';
import { startPart, type Part } from './part.ts';

const folder = join(import.meta.dirname, 'baselines');

/** Runs a file of `baselines/`, whose packages are installed when they are first wanted: they need another graphql than ours. */
export async function baselinePart<Ready>(
  file: string,
  ...args: readonly string[]
): Promise<Part<Ready>> {
  if (!existsSync(join(folder, 'node_modules'))) await install();
  return startPart<Ready>(join(folder, file), ...args);
}

async function install(): Promise<void> {
  console.log('installing what the gateway is compared with (test/bench/baselines)');
  const { code, stderr } = await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: folder,
  });
  if (code !== 0) throw new Error(`npm ci failed in ${folder}: ${stderr}`);
}
