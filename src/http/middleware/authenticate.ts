import type { IncomingMessage } from 'node:http';
import type { Account } from '../../accounts/account.ts';
import { keyOf, type AuthMode } from '../../accounts/authenticate.ts';
import { addressLimitId, callerAddress } from '../../accounts/caller-address.ts';
import type { ApiKey } from '../../accounts/api-key.ts';
import type { KeyCache } from '../../accounts/key-cache.ts';
import { rateLimitHeaders, type RateLimit } from '../../accounts/rate-limit.ts';
import type { OpenWork } from '../../accounts/work-limit.ts';
import type { AddressList } from '../../addresses.ts';
import { Problem } from '../../domain/problems.ts';
import type { Admitted, Call } from '../call.ts';

interface AuthenticatorOptions {
  readonly auth: AuthMode;
  readonly trustedProxies: AddressList;
  readonly keys: KeyCache;
  readonly limit: RateLimit;
  readonly openWork: OpenWork;
}

/** Checks the key, then the rate limit of the key, or of the address where there is no valid key. Sets the rate limit headers. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /**
   * Returns who sends a request. Throws `rate_limited`, `missing_api_key`, `invalid_api_key`, `forbidden_origin` or `unavailable`.
   */
  async authenticate(call: Call): Promise<Admitted> {
    try {
      const key = keyOf(call.request, this.#options.auth);
      return key ? await this.#admitKey(key, call) : this.#admitAddress(call);
    } catch (error) {
      // Only requests that fail are limited by address, and invalid keys count apart: neither a valid key nor a request without one is
      // rejected because of the invalid keys of others behind the same address.
      const address = this.#addressOf(call);
      const code = error instanceof Problem ? error.code : undefined;
      if (code === 'invalid_api_key')
        this.#enforceRateLimit(address && `invalid keys of ${address}`, call);
      if (code === 'missing_api_key') this.#enforceRateLimit(address, call);
      throw error;
    }
  }

  /** Counts a request that needs no key against its address, and returns that. Throws `rate_limited`. */
  countAddress(call: Call): Admitted['account'] {
    const address = this.#addressOf(call);
    this.#enforceRateLimit(address, call);
    return address ?? '';
  }

  #admitAddress(call: Call): Admitted {
    const account = this.countAddress(call);
    return {
      account,
      payer: undefined,
      work: this.#options.openWork(this.#addressOf(call), call.whenDone),
    };
  }

  async #admitKey(key: ApiKey, call: Call): Promise<Admitted> {
    const payer = await this.#options.keys.accountOf(key);
    // Pages of one site have one cache in a browser, also where they have several origins.
    if (payer.origins.length > 0) call.answerHeaders['vary'] = 'Origin';
    checkOrigin(payer, call.request);
    this.#enforceRateLimit(payer.id, call);
    return { account: payer.id, payer, work: this.#options.openWork(payer.id, call.whenDone) };
  }

  #addressOf({ request }: Call): string | undefined {
    return addressLimitId(callerAddress(request, this.#options.trustedProxies));
  }

  #enforceRateLimit(id: string | undefined, { answerHeaders }: Call): void {
    const allowance = this.#options.limit.take(id);
    Object.assign(answerHeaders, rateLimitHeaders(allowance));
    if (!allowance || allowance.allowed) return;
    const { limit, retryAfter } = allowance;
    throw new Problem(
      'rate_limited',
      `At most ${limit} requests a minute; try again in ${retryAfter} s.`,
      { retryAfter },
    );
  }
}

/** Throws `forbidden_origin` for a key that works only from other origins. This stops other websites from using it, not programs. */
function checkOrigin({ origins }: Account, request: IncomingMessage): void {
  if (origins.length === 0 || origins.includes(originOf(request) ?? '')) return;
  throw new Problem('forbidden_origin', 'This key works only from the pages that it was made for.');
}

/** Returns the page's origin: as the browser says, or for a same-origin GET, which carries none, by its `Referer`. */
function originOf({ headers }: IncomingMessage): string | undefined {
  if (headers.origin !== undefined) return headers.origin;
  const { referer } = headers;
  const sameOrigin =
    headers['sec-fetch-site'] === 'same-origin' && referer !== undefined && URL.canParse(referer);
  return sameOrigin ? new URL(referer).origin : undefined;
}
