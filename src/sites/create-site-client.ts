import type { Clock } from '../clock.ts';
import type { FairSlots } from '../outbound/queues/fair-slots.ts';
import { type Resolve, isPublicAddress } from '../outbound/public-address.ts';
import { createSiteDispatcher, type SiteServerOf } from '../outbound/dispatcher.ts';
import { siteAddress } from './site-address.ts';
import type { SiteClient, SiteGetOptions, SiteResponse } from './site-client.ts';
import type { Redirect } from './page/page-visit.ts';
import { Problem } from '../domain/problems.ts';
import type { SiteRequest } from './site-facts.ts';
import {
  exchangeWithSite,
  type SiteExchangeRequest,
  type SiteExchangeResponse,
} from '../outbound/site-exchange.ts';
import { registrableDomain } from './registrable-domain.ts';
import { addCookieNames, siteHeaders } from './response-headers.ts';
import { problemOf, redirectProblem, SiteTimeoutError } from './site-problems.ts';
import { isIP } from 'node:net';
import { redirectStatuses } from '../outbound/client.ts';

export interface SiteClientOptions {
  readonly serverOf: SiteServerOf;
  /** The slots of requests, which other readers of sites share. */
  readonly slots: Pick<FairSlots, 'acquire'>;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Resolves the hosts for which `serverOf` returns undefined. It must not use threads, as `dns.lookup` does. */
  readonly resolve: Resolve;
}

/** A client that owns its sockets. */
export interface ClosableSiteClient extends SiteClient {
  /** Aborts the requests in flight and closes all sockets. Later requests fail. */
  destroy(): Promise<void>;
}

/** Creates a client of sites. */
export function createSiteClient(options: SiteClientOptions): ClosableSiteClient {
  const { serverOf, slots, userAgent, clock, resolve } = options;
  const pools = createSiteDispatcher({
    serverOf: (host, port) => (port === 80 || port === 443 ? serverOf(host, port) : undefined),
    resolve,
  });
  const addressOf = ({ hostname, protocol }: URL) =>
    siteAddress(hostname, protocol === 'https:' ? 443 : 80, options);
  return {
    get: (url, request, getOptions) =>
      new SiteGet({ pools, slots, addressOf, clock, userAgent }, request, getOptions).run(url),
    destroy: () => pools.destroy(),
  };
}

interface SiteGetContext {
  readonly pools: SiteExchangeRequest['dispatcher'];
  readonly slots: Pick<FairSlots, 'acquire'>;
  readonly addressOf: (url: URL) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly userAgent: string;
}

const defaultTimeoutMs = 5000;
const defaultMaxRedirects = 5;
const maxBodyBytes = 512 * 1024;
/** The body of a redirect is read only to keep its connection. */
const maxRedirectBodyBytes = 16 * 1024;

/** One GET request with its redirects. */
class SiteGet {
  readonly #context: SiteGetContext;
  readonly #request: SiteRequest;
  readonly #options: SiteGetOptions;
  readonly #redirects: Redirect[] = [];
  readonly #cookieNames = new Set<string>();
  /** For the requests; waiting for slots does not count. */
  #remainingMs: number;

  constructor(context: SiteGetContext, request: SiteRequest, options: SiteGetOptions = {}) {
    this.#context = context;
    this.#request = request;
    this.#options = options;
    this.#remainingMs = options.timeoutMs ?? defaultTimeoutMs;
  }

  /** Sends the request and follows redirects. Rejects like `SiteClient.get`. */
  async run(start: URL): Promise<SiteResponse> {
    checkUrl(start);
    const { maxRedirects = defaultMaxRedirects } = this.#options;
    const requested = new Set<string>();
    for (let url = start; ;) {
      requested.add(url.href);
      const response = await this.#send(url);
      addCookieNames(response.headers, this.#cookieNames);
      const location = locationOf(response.status, response.headers);
      if (location === undefined) return this.#toSiteResponse(url, response);
      const redirect = { url: url.href, status: response.status };
      this.#redirects.push(redirect);
      this.#options.onRedirect?.(redirect);
      url = redirectTarget(url, location);
      if (requested.has(url.href)) throw redirectProblem(start, 'redirects in a loop');
      if (requested.size > maxRedirects)
        throw redirectProblem(start, `redirects more than ${maxRedirects} times`);
    }
  }

  async #send(url: URL): Promise<SiteExchangeResponse> {
    const { signal } = this.#request;
    const { slots, addressOf } = this.#context;
    await this.#options.beforeRequest?.(url);
    // The slot of a redirect's source was released, so two sites cannot wait for each other.
    const domain = registrableDomain(url.hostname);
    const release = await slots.acquire(this.#request, domain, await addressOf(url));
    if (!release) throw notRead(url, signal.aborted);
    try {
      if (this.#redirects.length === 0) this.#request.onSent?.();
      return await this.#exchange(url);
    } catch (error) {
      throw signal.aborted ? notRead(url, true) : problemOf(error, url);
    } finally {
      release();
    }
  }

  async #exchange(url: URL): Promise<SiteExchangeResponse> {
    const { clock, pools, userAgent } = this.#context;
    const startedAt = clock.elapsed();
    const timeout = new AbortController();
    const cancelTimer = clock.after(Math.max(this.#remainingMs, 0), () =>
      timeout.abort(new SiteTimeoutError('The time limit passed.')),
    );
    try {
      return await exchangeWithSite({
        dispatcher: pools,
        url,
        headers: {
          ...this.#options.headers,
          'user-agent': userAgent,
          'accept-encoding': 'gzip',
        },
        signal: AbortSignal.any([timeout.signal, this.#request.signal]),
        maxBytesOf: (status, headers) =>
          locationOf(status, headers) === undefined ? maxBodyBytes : maxRedirectBodyBytes,
      });
    } finally {
      cancelTimer();
      this.#remainingMs -= clock.elapsed() - startedAt;
    }
  }

  #toSiteResponse(url: URL, response: SiteExchangeResponse): SiteResponse {
    const { status, headers, body, isTruncated } = response;
    return {
      url,
      status,
      headers: siteHeaders(headers),
      cookieNames: [...this.#cookieNames],
      redirects: this.#redirects,
      body,
      isTruncated,
    };
  }
}

function notRead({ host }: URL, isAborted: boolean): Problem {
  const reason = isAborted ? 'The request was cancelled' : 'Too many requests are queued';
  return new Problem('site_timeout', `${host} was not read. ${reason}.`);
}

/** Returns the `Location` of a redirect; undefined for every other response. */
function locationOf(status: number, headers: SiteExchangeResponse['headers']): string | undefined {
  return redirectStatuses.has(status) ? [headers['location'] ?? []].flat()[0] : undefined;
}

/** Throws `site_blocked` unless a URL may be requested. */
function checkUrl(url: URL): void {
  const refusal = refusalOf(url);
  if (refusal) throw new Problem('site_blocked', `${shown(url)} ${refusal}.`);
}

function refusalOf(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'is not an HTTP URL';
  if (url.username || url.password) return 'has a user name or password';
  const address = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) && !isPublicAddress(address)) return 'is not a public address';
  // Only default ports: `http:` at port 443 would send plain HTTP to a TLS server, and vice versa.
  return url.port === '' ? undefined : 'has a port that is not read';
}

/**
 * Returns the URL that a redirect leads to. Throws `site_blocked` if it may not be requested or
 * downgrades to plain HTTP, and `site_unreachable` if it is invalid.
 */
function redirectTarget(from: URL, location: string): URL {
  // Servers send raw UTF-8, which the HTTP parser decodes as Latin-1.
  const text = Buffer.from(location, 'latin1').toString('utf8');
  if (text.length > 2048 || !URL.canParse(text, from.href))
    throw redirectProblem(from, 'redirects to an invalid URL');
  const to = new URL(text, from);
  to.hash = '';
  checkUrl(to);
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw new Problem('site_blocked', `${from.host} redirects from https: to http:.`);
  return to;
}

function shown({ protocol, host, href }: URL): string {
  return (host ? `${protocol}//${host}` : href).slice(0, 200);
}
