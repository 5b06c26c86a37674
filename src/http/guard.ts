import { keyOf, type AuthMode } from '../accounts/authenticate.ts';
import { addressLimitId, callerAddress } from '../accounts/caller-address.ts';
import type { KeyCheck } from '../accounts/key-check.ts';
import { rateLimitHeaders, type Allowance, type RateLimit } from '../accounts/rate-limit.ts';
import type { OpenWork } from '../accounts/work-limit.ts';
import type { AddressList } from '../addresses.ts';
import { Problem } from '../problems.ts';
import type { Admitted, Call } from './call.ts';
import { refuseForeignOrigin } from './origin.ts';

export interface Guard {
  /** Lets a call in, or throws `rate_limited`, `missing_api_key`, `invalid_api_key`, `forbidden_origin` or `unavailable`. */
  admit(call: Call): Promise<Admitted>;
  /** Counts a call that needs no key against its address; returns what it counts as. Throws `rate_limited`. */
  countAddress(call: Call): Admitted['account'];
}

export interface GuardOptions {
  readonly auth: AuthMode;
  readonly trustedProxies: AddressList;
  readonly checkKey: KeyCheck;
  readonly limit: RateLimit;
  readonly openWork: OpenWork;
}

/** Checks the key, then the rate limit of the key, or of the address where there is no valid key. Sets the rate limit headers. */
export function createGuard({ auth, trustedProxies, checkKey, limit, openWork }: GuardOptions): Guard {
  const addressOf = ({ request }: Call) => addressLimitId(callerAddress(request, trustedProxies));

  async function admit(call: Call): Promise<Admitted> {
    const address = addressOf(call);
    try {
      const key = keyOf(call.request, auth);
      if (!key) {
        refuseSpent(limit.take(address), call);
        return { account: address ?? '', payer: undefined, work: openWork(address, call.whenDone) };
      }
      const payer = await checkKey(key);
      // Pages of one site have one cache in a browser, also where they have several origins.
      if (payer.origins.length > 0) call.answerHeaders['vary'] = 'Origin';
      refuseForeignOrigin(payer, call.request);
      refuseSpent(limit.take(payer.id), call);
      return { account: payer.id, payer, work: openWork(payer.id, call.whenDone) };
    } catch (error) {
      // Only requests that fail are limited by address, and invalid keys count apart: neither a valid key nor a request without one is
      // rejected because of the invalid keys of others behind the same address.
      if (error instanceof Problem && error.code === 'invalid_api_key')
        refuseSpent(limit.take(address && `invalid keys of ${address}`), call);
      if (error instanceof Problem && error.code === 'missing_api_key') refuseSpent(limit.take(address), call);
      throw error;
    }
  }

  function countAddress(call: Call): string {
    const address = addressOf(call);
    refuseSpent(limit.take(address), call);
    return address ?? '';
  }

  return { admit, countAddress };
}

function refuseSpent(allowance: Allowance | undefined, { answerHeaders }: Call): void {
  Object.assign(answerHeaders, rateLimitHeaders(allowance));
  if (!allowance || allowance.allowed) return;
  const { limit, retryAfter } = allowance;
  throw new Problem('rate_limited', `At most ${limit} requests a minute; try again in ${retryAfter} s.`, { retryAfter });
}
