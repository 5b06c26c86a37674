import { run } from '../run.ts';

process.exitCode = await run(['keys', ...process.argv.slice(2)], {
  environment: process.env,
  cacheFolder: undefined,
  streams: process,
});
