import type { IncomingMessage } from 'node:http';
import type { Account } from '../accounts/account.ts';
import {
  extractCredential,
  readKey,
  type AuthMode,
  type KeyRule,
} from '../accounts/authenticate.ts';
import type { KeyCache } from '../accounts/key-cache.ts';
import { RateLimit, rateLimitHeaders } from '../accounts/rate-limit.ts';
import { workLimit, type OpenWorkBudget } from '../accounts/work-limit.ts';
import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import type { Principal, HttpRequestContext } from './http-request-context.ts';
import type { OAuthIssuer } from './oauth-issuer.ts';

interface AuthenticatorOptions {
  readonly auth: AuthMode;
  readonly keys: KeyCache;
  /** Requests per minute of callers without a rate of their own. */
  readonly rate: number;
  readonly clock: Clock;
}

/** The limits of callers with the same rate. Each is counted by its ID. */
interface CallerLimits {
  readonly rateLimit: RateLimit;
  readonly openWork: OpenWorkBudget;
}

/**
 * Checks the API key, then the rate limit of the key or, without a valid key, of the address. Sets
 * the rate limit headers.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  /** By rate: a changed rate starts with a full bucket. */
  readonly #limits = new Map<number, CallerLimits>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /**
   * Returns the caller of a request. Throws `rate_limited`, `missing_api_key`, `invalid_api_key`,
   * `forbidden_origin`, `unknown_account` or `unavailable`. `rule` is the rule of
   * the path, `AUTH` by default. `tokens` accepts access tokens at the path.
   */
  async authenticate(
    http: HttpRequestContext,
    rule: KeyRule = this.#options.auth,
    tokens?: OAuthIssuer,
  ): Promise<Principal> {
    try {
      const sent = extractCredential(http.request, rule);
      if (sent === undefined) return this.#authenticateAddress(http);
      const payer = tokens?.accepts(sent)
        ? await tokens.accountOf(sent)
        : await this.#options.keys.accountOf(readKey(sent));
      return this.#authenticateAccount(payer, http);
    } catch (error) {
      // Only failed requests are limited by address, and invalid keys have a separate limit:
      // neither a request with a valid key nor one without a key is rejected because of invalid
      // keys that others sent from the same address.
      const { address } = http;
      const code = error instanceof Problem ? error.code : undefined;
      if (code === 'invalid_api_key')
        this.#enforceRateLimit(address && `invalid keys of ${address}`, http);
      if (code === 'missing_api_key') this.#enforceRateLimit(address, http);
      throw error;
    }
  }

  /** Counts a request that needs no key against its address. Throws `rate_limited`. */
  countAddress(http: HttpRequestContext): void {
    this.#enforceRateLimit(http.address, http);
  }

  #authenticateAddress(http: HttpRequestContext): Principal {
    const { address, onResponseEnd } = http;
    const { openWork } = this.#enforceRateLimit(address, http);

    return {
      account: address ?? '',
      payer: undefined,
      work: openWork(address, onResponseEnd),
    };
  }

  #authenticateAccount(payer: Account, http: HttpRequestContext): Principal {
    // Browsers share one cache between the origins of a site.
    if (payer.origins.length > 0) http.responseHeaders['vary'] = 'Origin';
    checkOrigin(payer, http.request);
    const { openWork } = this.#enforceRateLimit(payer.id, http, payer.rate);
    return { account: payer.id, payer, work: openWork(payer.id, http.onResponseEnd) };
  }

  #limitsOf(rate: number): CallerLimits {
    const known = this.#limits.get(rate);
    if (known) return known;

    const { clock } = this.#options;
    const limits = { rateLimit: new RateLimit(rate, clock), openWork: workLimit(rate, clock) };
    this.#limits.set(rate, limits);

    return limits;
  }

  /** Counts a request, and returns the limits of its caller. Throws `rate_limited`. */
  #enforceRateLimit(
    id: string | undefined,
    { responseHeaders }: HttpRequestContext,
    rate: number | null = null,
  ): CallerLimits {
    const limits = this.#limitsOf(rate ?? this.#options.rate);
    const allowance = limits.rateLimit.take(id);
    Object.assign(responseHeaders, rateLimitHeaders(allowance));
    if (!allowance || allowance.allowed) return limits;

    const { limit, retryAfter } = allowance;
    throw new Problem(
      'rate_limited',
      `Rate limit exceeded: at most ${limit} requests per minute. Try again in ${retryAfter} s.`,
      { retryAfter },
    );
  }
}

/**
 * Throws `forbidden_origin` if a key is restricted to other origins. This stops other websites from
 * using the key, but not programs.
 */
function checkOrigin({ origins }: Account, request: IncomingMessage): void {
  if (origins.length === 0 || origins.includes(originOf(request) ?? '')) return;
  throw new Problem('forbidden_origin', 'This API key may be used only from its allowed origins.');
}

/**
 * Returns the origin of the page that sent a request. A same-origin GET has no `Origin` header, so
 * its `Referer` is used.
 */
function originOf({ headers }: IncomingMessage): string | undefined {
  if (headers.origin !== undefined) return headers.origin;
  const { referer } = headers;
  const isSameOrigin =
    headers['sec-fetch-site'] === 'same-origin' && referer !== undefined && URL.canParse(referer);
  return isSameOrigin ? new URL(referer).origin : undefined;
}
