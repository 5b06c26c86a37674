import type { Clock } from '../../clock.ts';
import { addressList, normalizeAddress } from '../../domain/names/ip-address.ts';
import { Problem } from '../../domain/problems.ts';
import { connectionFailure } from '../../outbound/connect-errors.ts';
import {
  createDispatcher,
  ephemeralKeepAliveMs,
  ProxyError,
  type OutboundProxy,
} from '../../outbound/dispatcher.ts';
import {
  checkedAddress,
  ForbiddenAddressError,
  isPublicAddress,
} from '../../outbound/public-address.ts';
import { errorCode } from '../../shared/error-code.ts';

export interface WebhookSenderOptions {
  /** Addresses, networks and `localhost` that webhooks may reach although they are private. */
  readonly allow: readonly string[];
  readonly proxy: OutboundProxy | undefined;
  readonly userAgent: string;
  readonly clock: Clock;
}

/** What a receiver answered. `problem` says why it counts as a failure; null for a 2xx status. */
export interface SendResult {
  /** Null without a response. */
  readonly status: number | null;
  /** A sentence. */
  readonly problem: string | null;
}

const timeoutMs = 15_000;
const connectTimeoutMs = 5000;
const maxUrlLength = 2048;
/** A body is read so far, to keep the connection. */
const maxBodyBytes = 16 * 1024;

/** Sends requests to webhooks: over HTTPS to public addresses, and to those that the operator allows. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  /** By the protocol of URLs. */
  readonly #transports: ReadonlyMap<string, ReturnType<typeof transportOf>>;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    const named = addressList(
      options.allow.flatMap((range) => (range === 'localhost' ? ['127.0.0.0/8', '::1'] : [range])),
    );
    const isNamed = (address: string) => named.has(normalizeAddress(address) ?? '');

    const isPublicOrNamed = (address: string) => isPublicAddress(address) || isNamed(address);
    this.#transports = new Map([
      ['http:', transportOf(isNamed, options)],
      ['https:', transportOf(isPublicOrNamed, options)],
    ]);
  }

  /**
   * Checks the URL of a new webhook, and returns its host. Rejects with `invalid_parameter` if
   * requests to it would be refused; a host that cannot be resolved now is accepted.
   */
  async check(text: string): Promise<string> {
    const url = URL.parse(text);
    const refusal = url ? this.#refusalOf(text, url) : 'is not a URL';
    if (!url || refusal) throw refused(refusal);

    try {
      await checkedAddress(url.hostname, this.#transportOf(url).isAllowed);
    } catch (error) {
      if (error instanceof ForbiddenAddressError) throw refused('leads to a private address');
      // Errors of the resolver have a code. Such a host may be found later.
      if (errorCode(error) === '') throw error;
    }

    // Two spellings of a host share its limit of one request at a time.
    return url.hostname.replace(/\.$/, '');
  }

  /** Sends a POST request and follows no redirect. Rejects only if `signal` is aborted. */
  async send(
    text: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<SendResult> {
    const { clock, userAgent } = this.#options;
    const url = new URL(text);
    const timeout = new AbortController();
    const cancel = clock.after(timeoutMs, () => timeout.abort());
    const ending = AbortSignal.any([timeout.signal, signal]);
    try {
      const response = await this.#transportOf(url).sockets.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers: { 'user-agent': userAgent, 'content-type': 'application/json', ...headers },
        body,
        signal: ending,
      });
      await response.body.dump({ limit: maxBodyBytes, signal: ending }).catch(() => undefined);

      const { statusCode: status, headers: received } = response;
      return { status, problem: problemOf(status, [received['location'] ?? []].flat()[0]) };
    } catch (error) {
      signal.throwIfAborted();
      const problem = timeout.signal.aborted
        ? `did not respond within ${timeoutMs / 1000} seconds`
        : failureOf(error);
      return { status: null, problem: `${url.host} ${problem}.` };
    } finally {
      cancel();
    }
  }

  async destroy(): Promise<void> {
    await Promise.all(Array.from(this.#transports.values(), ({ sockets }) => sockets.destroy()));
  }

  #refusalOf(text: string, url: URL): string | undefined {
    if (text.length > maxUrlLength) return `is longer than ${maxUrlLength} characters`;
    if (/[\s\p{Cc}]/u.test(text)) return 'has spaces or control characters';
    if (url.username || url.password) return 'has a user name or password';
    if (url.protocol === 'https:') return undefined;
    const isPlainAllowed = url.protocol === 'http:' && this.#options.allow.length > 0;
    return isPlainAllowed ? undefined : 'is not an https: URL';
  }

  #transportOf({ protocol }: URL) {
    const transport = this.#transports.get(protocol);
    if (!transport) throw new Error('The scheme of the URL was not checked.');
    return transport;
  }
}

/** Returns the sockets that connect to allowed addresses. */
function transportOf(
  isAllowed: (address: string) => boolean,
  { proxy }: Pick<WebhookSenderOptions, 'proxy'>,
) {
  const sockets = createDispatcher({
    isAllowed,
    allowPrivate: false,
    proxy,
    connections: 1,
    connectTimeoutMs,
    keepAliveMs: ephemeralKeepAliveMs,
    maxReceivedBytes: 64 * 1024,
  });
  return { isAllowed, sockets };
}

function refused(refusal = ''): Problem {
  const detail = `The URL ${refusal}. Webhooks are https: URLs of servers with public addresses; WEBHOOK_ALLOW names others.`;
  return new Problem('invalid_parameter', detail, { param: 'url' });
}

function problemOf(status: number, location: string | undefined): string | null {
  if (status >= 200 && status < 300) return null;
  const target = location === undefined ? '' : ` (to ${JSON.stringify(location.slice(0, 200))})`;
  return status >= 300 && status < 400
    ? `HTTP ${status}: redirects${target} are not followed.`
    : `HTTP ${status}.`;
}

function failureOf(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return 'does not have a public address';
  if (error instanceof ProxyError) return `cannot be reached: the proxy ${error.message}`;
  return connectionFailure(error) ?? 'could not be reached, or closed the connection';
}
