import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Node's own conditions: with vite's, graphql would be loaded twice, once by us and once by its users. Vitest passes the first on to its
  // processes, where 'import' would hold for `require`, too: pg would get the wrong half of its own pool.
  ssr: {
    resolve: { conditions: ['module-sync', 'node', 'default'], externalConditions: ['module-sync', 'node', 'import', 'default'] },
  },
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    env: { TZ: 'America/St_Johns' }, // a zone that is not UTC shows every date that was read as local time
    testTimeout: 20_000,
    maxWorkers: '100%', // most tests wait more than they compute
  },
});
