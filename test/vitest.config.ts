import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { compileCache } from './support/package/compile-cache.ts';

// Inherited by the processes of vitest and by those that tests start.
Object.assign(process.env, compileCache);

const browser = ['browser/*.test.ts', 'shipping/package.test.ts'];
/** `npm run test:clients` installs their packages. */
const clients = 'client-libraries/**';
// One worker per processor: with more, tests that are slow for want of time reach the limits of the
// gateway, which then sheds load.
export const maxWorkers = availableParallelism();
const alone = [
  'measures.test.ts',
  'soak/fleet.test.ts',
  'storage/postgres/unavailable.test.ts',
  'accounts/credits/kill.test.ts',
];

export default defineConfig({
  // Node's own conditions: with vite's, graphql would be loaded twice, once by us and once by its users. Vitest passes the first on to its
  // processes, where 'import' would hold for `require`, too: pg would get the wrong half of its own pool.
  ssr: {
    resolve: {
      conditions: ['module-sync', 'node', 'default'],
      externalConditions: ['module-sync', 'node', 'import', 'default'],
    },
  },
  test: {
    root: import.meta.dirname,
    setupFiles: './after-each-file.ts',
    globalSetup: ['./support/stores/postgres-server.ts'],
    env: { TZ: 'America/St_Johns' }, // a zone that is not UTC shows every date that was read as local time
    // Only hanging tests reach these limits: a busy machine takes ten times as long as a quiet one.
    retry: 1, // a second run tells a busy machine from a fault; random tests repeat their seed
    testTimeout: 90_000,
    hookTimeout: 90_000, // some start a database or a browser, or build the package
    maxConcurrency: 8, // concurrent cases wait for timeouts
    isolate: false, // the files of a worker share its modules, which take longer to load than many tests
    expect: { poll: { timeout: 45_000 } }, // long enough for a machine that is busy with other tests
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone, ...browser, clients],
          maxWorkers,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: browser,
          globalSetup: [
            './support/stores/postgres-server.ts',
            './support/requests/browser-process.ts',
          ],
          maxWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      // Tests of nodes that are killed, of databases that fail and of which files run have the machine to themselves.
      {
        extends: true,
        test: {
          name: 'alone',
          include: alone,
          maxWorkers: 1,
          isolate: true,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
