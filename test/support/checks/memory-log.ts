import { Writable } from 'node:stream';
import { pino } from 'pino';
import { logOptions, type Log } from '../../../src/log.ts';
import type { Json } from '../gateways/gateway.ts';

/** Returns a log whose lines a test can read. */
export function memoryLog(): { log: Log; lines: Json[] } {
  const lines: Json[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)));
      done();
    },
  });
  return { log: pino(logOptions, stream), lines };
}
