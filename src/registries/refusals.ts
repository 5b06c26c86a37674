import type { Clock } from '../clock.ts';
import { Problem } from '../problems.ts';

/** Why a host is not asked now. */
export function refusalsOf(host: string, clock: Clock) {
  const secondsUntil = (moment: number) => Math.max(1, Math.ceil((moment - clock.now()) / 1000));
  return {
    /** Its turn cannot come before then. */
    busy(readyAt: number): Problem {
      const retryAfter = secondsUntil(readyAt);
      return new Problem('registry_busy', `${host} takes no more questions now; ask again in ${retryAfter} s.`, { retryAfter });
    },
    /** It does nothing but fail, and is left alone until then. */
    failing(until: number): Problem {
      const retryAfter = secondsUntil(until);
      return new Problem('registry_error', `${host} has failed again and again; it is asked again in ${retryAfter} s.`, { retryAfter });
    },
  };
}
