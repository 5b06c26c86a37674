import type { IncomingMessage } from 'node:http';
import type { Account } from '../../accounts/account.ts';
import { extractApiKey, type AuthMode } from '../../accounts/authenticate.ts';
import { addressLimitId, callerAddress } from '../../accounts/caller-address.ts';
import type { ApiKey } from '../../accounts/api-key.ts';
import type { KeyCache } from '../../accounts/key-cache.ts';
import { rateLimitHeaders, type RateLimit } from '../../accounts/rate-limit.ts';
import type { OpenWorkBudget } from '../../accounts/work-limit.ts';
import type { AddressList } from '../../ip-address.ts';
import { Problem } from '../../domain/problems.ts';
import type { Principal, HttpRequestContext } from '../http-request-context.ts';

interface AuthenticatorOptions {
  readonly auth: AuthMode;
  readonly trustedProxies: AddressList;
  readonly keys: KeyCache;
  readonly rateLimit: RateLimit;
  readonly openWork: OpenWorkBudget;
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
  async authenticate(http: HttpRequestContext): Promise<Principal> {
    try {
      const key = extractApiKey(http.request, this.#options.auth);
      return key ? await this.#authenticateKey(key, http) : this.#authenticateAddress(http);
    } catch (error) {
      // Only requests that fail are limited by address, and invalid keys count apart: neither a valid key nor a request without one is
      // rejected because of the invalid keys of others behind the same address.
      const address = this.#addressOf(http);
      const code = error instanceof Problem ? error.code : undefined;
      if (code === 'invalid_api_key')
        this.#enforceRateLimit(address && `invalid keys of ${address}`, http);
      if (code === 'missing_api_key') this.#enforceRateLimit(address, http);
      throw error;
    }
  }

  /** Counts a request that needs no key against its address, and returns that. Throws `rate_limited`. */
  countAddress(http: HttpRequestContext): Principal['account'] {
    const address = this.#addressOf(http);
    this.#enforceRateLimit(address, http);
    return address ?? '';
  }

  #authenticateAddress(http: HttpRequestContext): Principal {
    const account = this.countAddress(http);
    return {
      account,
      payer: undefined,
      work: this.#options.openWork(this.#addressOf(http), http.onResponseClosed),
    };
  }

  async #authenticateKey(key: ApiKey, http: HttpRequestContext): Promise<Principal> {
    const payer = await this.#options.keys.accountOf(key);
    // Pages of one site have one cache in a browser, also where they have several origins.
    if (payer.origins.length > 0) http.responseHeaders['vary'] = 'Origin';
    checkOrigin(payer, http.request);
    this.#enforceRateLimit(payer.id, http);
    return {
      account: payer.id,
      payer,
      work: this.#options.openWork(payer.id, http.onResponseClosed),
    };
  }

  #addressOf({ request }: HttpRequestContext): string | undefined {
    return addressLimitId(callerAddress(request, this.#options.trustedProxies));
  }

  #enforceRateLimit(id: string | undefined, { responseHeaders }: HttpRequestContext): void {
    const allowance = this.#options.rateLimit.take(id);
    Object.assign(responseHeaders, rateLimitHeaders(allowance));
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
  const isSameOrigin =
    headers['sec-fetch-site'] === 'same-origin' && referer !== undefined && URL.canParse(referer);
  return isSameOrigin ? new URL(referer).origin : undefined;
}
