import { systemClock, type Clock } from '../../clock.ts';

/**
 * Returns the time to send to the database: null lets it use its own clock, which all nodes share.
 */
export type TimeOf = (now: number) => number | null;

/**
 * Returns null for the system clock. The clock of a test is sent, so that tests control the time.
 */
export function timeOf(clock: Clock): TimeOf {
  return (now) => (clock === systemClock ? null : now);
}
