/** Keeps requests from a host that does nothing but fail. */
export interface Breaker {
  /** When it lets somebody through again, in milliseconds since the epoch; undefined while it is closed, or ready for its probe. */
  openUntil(now: number): number | undefined;
  /** Somebody goes through: the probe, if it was open. */
  pass(): void;
  succeed(): void;
  fail(now: number): void;
}

const failuresToOpen = 10;
const openMs = 5000;

/** Opens after ten failures in a row, for five seconds; then one probe decides. */
export function createBreaker(): Breaker {
  let failures = 0;
  let until = -Infinity;
  let probing = false;
  const tripped = () => failures >= failuresToOpen;
  return {
    openUntil(now) {
      if (!tripped()) return undefined;
      if (probing) return now + openMs;
      // Further away than it can have been set: the clock was ahead then.
      return now < until && until <= now + openMs ? until : undefined;
    },
    pass() {
      probing = tripped();
    },
    succeed() {
      failures = 0;
      probing = false;
    },
    fail(now) {
      failures += 1;
      probing = false;
      if (tripped()) until = now + openMs;
    },
  };
}
