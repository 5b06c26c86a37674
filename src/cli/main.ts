#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';

// Only this file and its imports are loaded on an unsupported Node, so they must not import by name
// what is missing there, such as `enableCompileCache`.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `RDAP Gateway requires Node 22.19 or later, but this is Node ${process.versions.node}. Install Node 26 or 24 from nodejs.org.`,
  );
  process.exit(2);
}

// Node 22 and 24 warn that `node:sqlite` is experimental.
process.removeAllListeners('warning');
process.on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') console.error(`${warning.name}: ${warning.message}`);
});

const folder = cacheFolder(process.platform, process.env);
if (folder !== undefined) module.enableCompileCache(join(folder, 'compiled'));
const { run } = await import('./run.ts');
const surroundings = { environment: process.env, cacheFolder: folder, streams: process };
const exitCode = await run(process.argv.slice(2), surroundings).catch((error: unknown) => {
  console.error(error);
  return 2; // Node would end with the exit code of a taken name.
});
// Lookups that are no longer needed would keep the process running.
if (exitCode !== undefined) process.stdout.write('', () => process.exit(exitCode));
