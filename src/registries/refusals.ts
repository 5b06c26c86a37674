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
    /** Too many of the account's lookups failed there. */
    limited(allowedAt: number): Problem {
      const retryAfter = secondsUntil(allowedAt);
      const detail = `Too many of your lookups at ${host} failed in the last minute. Try again in ${retryAfter} s.`;
      return new Problem('registry_busy', detail, { retryAfter });
    },
    /** It does nothing but fail, and is left alone until then. */
    failing(until: number): Problem {
      const retryAfter = secondsUntil(until);
      return new Problem('registry_error', `${host} has failed again and again; it is asked again in ${retryAfter} s.`, { retryAfter });
    },
  };
}
