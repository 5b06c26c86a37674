// Tests the npm package under other versions of Node: `npm run check:package -- 22.19.0 22 24 26`.
// npm installs each as a package.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'node-versions-'));
const runtime = `node-${process.platform}-${process.arch}`;
for (const version of process.argv.slice(2)) {
  const home = join(folder, version);
  const install = ['install', '--prefix', home, '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', [...install, `${runtime}@${version}`], { stdio: 'inherit' });

  const node = join(home, 'node_modules', runtime, 'bin/node');
  console.log(`Node ${execFileSync(node, ['--version'], { encoding: 'utf8' })}`);
  const { status } = spawnSync('npm', ['test', '--', 'test/shipping/package.test.ts'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CONSUMER_NODE: node },
  });

  if (status !== 0) process.exitCode = 1;
}
rmSync(folder, { recursive: true });
