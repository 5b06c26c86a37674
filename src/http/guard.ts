import { keyOf, type AuthMode } from '../accounts/authenticate.ts';
import { addressLimitId, callerAddress } from '../accounts/caller-address.ts';
import type { KeyCheck } from '../accounts/key-check.ts';
import { rateLimitHeaders, type Allowance, type RateLimit } from '../accounts/rate-limit.ts';
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
}

/** Checks in the order of the contract: what an address has left, the key, what the key has left. Sets the headers that say so. */
export function createGuard({ auth, trustedProxies, checkKey, limit }: GuardOptions): Guard {
  const addressOf = ({ request }: Call) => addressLimitId(callerAddress(request, trustedProxies));

  async function admit(call: Call): Promise<Admitted> {
    const address = addressOf(call);
    // Wrong keys count apart: whoever shares an address with somebody who guesses still gets in without one.
    const wrongKeys = address && `wrong keys of ${address}`;
    try {
      refuseSpent(limit.look(wrongKeys), call);
      const key = keyOf(call.request, auth);
      if (!key) {
        refuseSpent(limit.take(address), call);
        return { account: address ?? '', payer: undefined };
      }
      const payer = await checkKey(key);
      refuseForeignOrigin(payer, call.request);
      refuseSpent(limit.take(payer.id), call);
      return { account: payer.id, payer };
    } catch (error) {
      if (error instanceof Problem && error.code === 'invalid_api_key') limit.take(wrongKeys);
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
  const { limit, burst, retryAfter } = allowance;
  throw new Problem('rate_limited', `At most ${limit} requests a minute, and ${burst} at once; try again in ${retryAfter} s.`, {
    retryAfter,
  });
}
