import { randomBytes } from 'node:crypto';
import { systemClock } from '../../clock.ts';

/** An id that nobody else makes. It begins with the time, so that an index of many million grows at one end and stays in memory there. */
export function newChargeId(): string {
  const hex = systemClock.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
