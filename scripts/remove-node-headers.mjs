// Removes the C++ headers from the npm packages of Node, 67 MB, after each installation: they are for
// compiling native modules, and there are none. Runs on the Node that runs npm, such as Node 20.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '../node_modules');
for (const name of readdirSync(packages))
  if (/^node-(?:bin-)?(?:darwin|linux|win)-/.test(name))
    rmSync(join(packages, name, 'include'), { recursive: true, force: true });
