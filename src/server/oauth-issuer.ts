import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTVerifyGetKey } from 'jose';
import type { Account } from '../accounts/account.ts';
import { RateLimit } from '../accounts/rate-limit.ts';
import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import { onceFulfilled } from '../shared/memoize.ts';

interface OAuthIssuerOptions {
  /** The issuer's identifier, without a slash at its end, which that in its metadata may have. */
  readonly issuer: string;
  /** The URL for which tokens are issued. */
  readonly resource: () => string;
  /** Reads the JSON at a URL. Rejects with an Error that says why there is none. */
  readonly readJson: (url: string) => Promise<unknown>;
  /** Returns the active account with an ID or a name. */
  readonly accountNamed: (idOrName: string) => Promise<Account | undefined>;
  readonly clock: Clock;
}

/** Algorithms with a public key: whoever can verify a token must not be able to sign one. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** How long keys are used before they are read again, which ends the use of withdrawn keys. */
const keyTtlMs = 5 * 60_000;
/** Tokens with unknown keys cause at most this many requests to the issuer. */
const maxReadsPerMinute = 30;

/**
 * The authorization server whose access tokens are accepted in place of API keys. Its metadata (RFC
 * 8414 or OpenID Connect Discovery) and keys are read when the first token needs them.
 */
export class OAuthIssuer {
  readonly #options: OAuthIssuerOptions;
  readonly #reads: RateLimit;
  /** Reads the metadata once. Keys of a new `jwks_uri` require a restart. */
  readonly connect = onceFulfilled(() => this.#connect());
  #issuer: string;

  constructor(options: OAuthIssuerOptions) {
    this.#options = options;
    this.#issuer = options.issuer;
    this.#reads = new RateLimit(maxReadsPerMinute, options.clock);
  }

  /** Returns whether a text has the form of a signed token (RFC 7515 section 7.1). */
  accepts(text: string): boolean {
    return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
  }

  /** Returns the metadata of the protected resource (RFC 9728 section 2). */
  resourceMetadata(documentation: string) {
    return {
      resource: this.#options.resource(),
      authorization_servers: [this.#issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'RDAP gateway',
      resource_documentation: documentation,
    };
  }

  /**
   * Returns the account that a token names in its claim `sub`, by ID or name. Rejects with
   * `invalid_api_key`, `unknown_account`, or `unavailable` if the issuer's keys cannot be read.
   */
  async accountOf(token: string): Promise<Account> {
    const subject = await this.#subjectOf(token);
    const account = await this.#options.accountNamed(subject);
    if (!account)
      throw new Problem(
        'unknown_account',
        `The login is valid, but this gateway has no active account with the name ${JSON.stringify(subject)}. Ask its operator for one.`,
      );

    return account;
  }

  async #subjectOf(token: string): Promise<string> {
    const { clock, resource } = this.#options;
    const keys = await this.connect();
    const verified = jwtVerify(token, keys, {
      algorithms,
      issuer: this.#issuer,
      audience: resource(),
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(clock.now()),
    });
    const { payload } = await verified.catch((error: unknown) => {
      throw this.#problemOf(error);
    });
    if (typeof payload.sub === 'string' && payload.sub !== '') return payload.sub;

    throw this.#invalidToken('has no subject (`sub`)');
  }

  /** Reads the metadata at the places of RFC 8414 section 3 and of OpenID Connect Discovery. */
  async #connect(): Promise<JWTVerifyGetKey> {
    const { issuer } = this.#options;
    const { origin } = new URL(issuer);
    const path = issuer.slice(origin.length);
    const places = new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]);
    const failures: unknown[] = [];
    for (const place of places) {
      try {
        return this.#keysOf(await this.#readJson(place));
      } catch (error) {
        failures.push(error);
      }
    }

    throw this.#unavailable(new AggregateError(failures, failures.map(String).join('; ')));
  }

  /** Returns the keys that metadata names. Throws an Error unless the metadata is the issuer's own. */
  #keysOf(metadata: unknown): JWTVerifyGetKey {
    const { issuer } = this.#options;
    const { issuer: stated, jwks_uri: uri } = Object(metadata) as Record<string, unknown>;
    if (typeof stated !== 'string' || stated.replace(/\/$/, '') !== issuer)
      throw new Error(`the metadata is that of the issuer ${JSON.stringify(stated)}`);
    if (typeof uri !== 'string' || !URL.canParse(uri))
      throw new Error('the metadata has no jwks_uri');

    this.#issuer = stated;
    return createRemoteJWKSet(new URL(uri), {
      cacheMaxAge: keyTtlMs,
      // `#readJson` limits how often a token with an unknown key, as after a rotation, causes a read.
      cooldownDuration: 0,
      [customFetch]: async (url) => Response.json(await this.#readJson(String(url))),
    });
  }

  async #readJson(url: string): Promise<unknown> {
    if (this.#reads.take('issuer')?.allowed === false)
      throw this.#unavailable(new Error('the issuer was read too often in the last minute'));
    return this.#options.readJson(url);
  }

  #problemOf(error: unknown): Problem {
    if (error instanceof Problem) return error;
    if (error instanceof errors.JWTExpired) return this.#invalidToken('has expired');
    if (error instanceof errors.JWTClaimValidationFailed)
      return this.#invalidToken(`has the wrong ${error.claim}, or none`);

    // What is neither an error of the token nor of its keys comes from reading the keys.
    const isOfToken = error instanceof errors.JOSEError && !(error instanceof errors.JWKSInvalid);
    return isOfToken
      ? this.#invalidToken('is not signed by one of its keys with an asymmetric algorithm')
      : this.#unavailable(error);
  }

  #invalidToken(fault: string): Problem {
    return new Problem(
      'invalid_api_key',
      `The access token ${fault}. Log in again at ${this.#issuer}, for the resource ${this.#options.resource()}.`,
    );
  }

  #unavailable(cause: unknown): Problem {
    return new Problem(
      'unavailable',
      `The keys of the issuer ${this.#options.issuer} (MCP_OAUTH_ISSUER) cannot be read, so access tokens cannot be verified. Try again later, or send an API key.`,
      { cause, retryAfter: 5 },
    );
  }
}
