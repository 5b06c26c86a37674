import { defineConfig } from 'vitest/config';
import base from '../vitest.config.ts';

const { projects: _projects, ...test } = base.test ?? {};

export default defineConfig({
  ...base,
  test: { ...test, include: ['client-libraries/*.test.ts'] },
});
