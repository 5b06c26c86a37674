// Runs in every test file: files share their worker, so a date that one of them left faked is the date of those that follow.
import { afterAll, vi } from 'vitest';
import { dropDatabases } from './support/stores/shared-postgres.ts';

const mask = process.umask();
/** Where the OpenTelemetry API registers an SDK. */
const tracingSdk = Symbol.for('opentelemetry.js.api.1');

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

afterAll(() => {
  if (!Reflect.has(globalThis, tracingSdk)) return;
  Reflect.deleteProperty(globalThis, tracingSdk);
  throw new Error('This file has left an SDK registered, which traces all that follows.');
});
