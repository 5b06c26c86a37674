#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';

// Node 22 and 24 warn that `node:sqlite` is experimental.
process.removeAllListeners('warning');
process.on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') console.error(`${warning.name}: ${warning.message}`);
});

const folder = cacheFolder(process.platform, process.env);
if (folder !== undefined) enableCompileCache(join(folder, 'compiled'));
const { run } = await import('./run.ts');
const exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  cacheFolder: folder,
});
if (exitCode !== undefined) process.exitCode = exitCode;
