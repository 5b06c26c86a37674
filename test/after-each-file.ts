// Runs in every test file: files share their worker, so a date that one of them left faked is the date of those that follow.
import { afterAll, vi } from 'vitest';
import { dropDatabases } from './support/shared-postgres.ts';

const mask = process.umask();

afterAll(dropDatabases);

afterAll(() => {
  if (process.umask() === mask) return;
  process.umask(mask);
  throw new Error('This file has left another file mode creation mask: restore it.');
});

afterAll(() => {
  if (!vi.isFakeTimers()) return;
  vi.useRealTimers();
  throw new Error('This file has left fake timers in use: call vi.useRealTimers().');
});
