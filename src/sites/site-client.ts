import { isIP } from 'node:net';
import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import { redirectStatuses } from '../outbound/client.ts';
import { createSiteDispatcher, type SiteServerOf } from '../outbound/dispatcher.ts';
import { isPublicAddress, type Resolve } from '../outbound/public-address.ts';
import type { FairSlots } from '../outbound/queues/fair-slots.ts';
import {
  exchangeWithSite,
  type SiteExchangeRequest,
  type SiteExchangeResponse,
} from '../outbound/site-exchange.ts';
import type { Redirect } from './page/page-visit.ts';
import { addCookieNames, siteHeaders } from './response-headers.ts';
import type { SiteRequest } from './site-facts.ts';
import { problemOf, redirectProblem, SiteTimeoutError } from './site-problems.ts';
import { registrableDomain } from './site-target.ts';

export interface SiteClientOptions {
  readonly serverOf: SiteServerOf;
  /** The slots of requests, which other readers of sites share. */
  readonly slots: Pick<FairSlots, 'acquire'>;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Resolves the hosts for which `serverOf` returns undefined. It must not use threads, as `dns.lookup` does. */
  readonly resolve: Resolve;
  readonly exchange?: typeof exchangeWithSite;
}

/** Creates a client of sites, which owns its sockets. */
export function createSiteClient(options: SiteClientOptions) {
  const { serverOf, resolve } = options;
  const dispatcher = createSiteDispatcher({
    serverOf: (host, port) => (port === 80 || port === 443 ? serverOf(host, port) : undefined),
    resolve,
  });
  const context = { exchange: exchangeWithSite, ...options, dispatcher };
  const get: SiteClient['get'] = (url, request, getOptions) =>
    new SiteGet(context, request, getOptions).run(url);

  /** Aborts the requests in flight and closes all sockets. Later requests fail. */
  const destroy = () => dispatcher.destroy();
  return { get, destroy };
}

type SiteGetContext = Required<SiteClientOptions> & Pick<SiteExchangeRequest, 'dispatcher'>;

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
    const { slots } = this.#context;
    await this.#options.beforeRequest?.(url);

    // The slot of a redirect's source was released, so two sites cannot wait for each other.
    const domain = registrableDomain(url.hostname);
    const port = url.protocol === 'https:' ? 443 : 80;
    const address = await siteAddress(url.hostname, port, this.#context);
    const release = await slots.acquire(this.#request, domain, address);
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
    const { clock, dispatcher, userAgent, exchange } = this.#context;
    const startedAt = clock.elapsed();
    const timeout = new AbortController();
    const cancelTimer = clock.after(Math.max(this.#remainingMs, 0), () =>
      timeout.abort(new SiteTimeoutError('The time limit passed.')),
    );
    try {
      return await exchange({
        dispatcher,
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

/** Returns the address that is tried first for a host; undefined if it has none. Never rejects. */
export async function siteAddress(
  host: string,
  port: 80 | 443,
  { serverOf, resolve }: Pick<SiteClientOptions, 'serverOf' | 'resolve'>,
): Promise<string | undefined> {
  const server = serverOf(host, port);
  if (server) return server === 'none' ? undefined : server.address;

  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal)) return literal;

  return new Promise((settle) =>
    resolve(host, { all: true }, (_error, [first]) => settle(first?.address)),
  );
}

/** Reads URLs of sites, which are chosen by callers and by the sites themselves. */
export interface SiteClient {
  /**
   * Sends a GET request and follows redirects, each of which is checked like the first URL: only
   * ports 80 and 443, only public addresses, and no downgrade from `https:`. Waits for a slot of the
   * site first. Rejects with `site_unreachable`, `site_blocked` or `site_timeout`.
   */
  get(url: URL, request: SiteRequest, options?: SiteGetOptions): Promise<SiteResponse>;
}

/** The options of a GET request. All are optional. */
interface SiteGetOptions {
  /** In addition to `user-agent` and `accept-encoding`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called before each request, redirects included; a rejection ends the read. */
  readonly beforeRequest?: (url: URL) => Promise<void>;
  /** Called for each redirect, also if its target cannot be read. */
  readonly onRedirect?: (redirect: Redirect) => void;
  /** For the request and its redirects together; five seconds by default. */
  readonly timeoutMs?: number;
  /** More redirects are `site_unreachable`; five by default. */
  readonly maxRedirects?: number;
}

/** A response, after redirects. */
export interface SiteResponse {
  readonly url: URL;
  readonly status: number;
  /**
   * By lower-case name, except `set-cookie`; repeated lines are joined by `, `, those of
   * `x-robots-tag` by a line feed.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The names of the cookies that this response and the redirects before it set. */
  readonly cookieNames: readonly string[];
  readonly redirects: readonly Redirect[];
  /** Decompressed, at most 512 KiB. */
  readonly body: Uint8Array;
  /** The body continues after the part that was read. */
  readonly isTruncated: boolean;
}
