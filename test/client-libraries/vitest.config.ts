import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import base from '../vitest.config.ts';

const { projects: _projects, ...test } = base.test ?? {};

export default defineConfig({
  ...base,
  // A package of the tests has source maps without sources.
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic' } },
  // Examples in `test/clients/` have no React beside them.
  resolve: { alias: { react: join(import.meta.dirname, 'node_modules/react') } },
  test: {
    // Imports JSON without an attribute, which Node.js rejects.
    server: { deps: { inline: [/@actions/] } },
    ...test,
    include: ['client-libraries/*.test.{ts,tsx}'],
  },
});
