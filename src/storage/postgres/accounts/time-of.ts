import { systemClock, type Clock } from '../../../clock.ts';

/** What is sent for a time of ours: null, in whose place the database puts its own, which all nodes agree on. */
export type TimeOf = (now: number) => number | null;

/** The clock of a test counts, so that it can be set. */
export function timeOf(clock: Clock): TimeOf {
  return (now) => (clock === systemClock ? null : now);
}
