import { configDefaults, defineConfig } from 'vitest/config';
import base, { maxWorkers } from './vitest.config.ts';

const { projects: _projects, ...test } = base.test ?? {};

/** Tests that need a browser, an installation or PostgreSQL, and those that take more than a few seconds. */
const slow = [
  'browser/**',
  'shipping/**',
  'soak/**',
  'storage/{postgres,contracts}/**',
  'client-libraries/**',
  // Processes
  'cli/**',
  'embedding/**',
  'main.test.ts',
  'accounts/credits/kill.test.ts',
  'clients/typed.test.ts',
  'docs/command-line.test.ts',
  'api/mcp/stdio.test.ts',
  'storage/sqlite/{full-disk,ledger,lost-entries,shared-files}.test.ts',
  // Counts the functions that run, for which it needs a process of its own
  'measures.test.ts',
  // Random input
  'fuzz/**',
  // Load, time limits, and large responses
  'server/{overload,shutdown-under-load,slow-clients,free-work}.test.ts',
  'api/graphql/large-responses.test.ts',
  'objects/response-size.test.ts',
  'registries/{faults,caller-isolation}.test.ts',
  '**/ssrf.test.ts',
  'sandbox/fair-shares.test.ts',
];

export default defineConfig({
  ...base,
  test: {
    ...test,
    include: ['**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...slow],
    maxWorkers,
  },
});
