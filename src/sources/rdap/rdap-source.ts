import { getDomain } from 'tldts';
import type { Clock } from '../../clock.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { JsonObject } from '../../domain/registration.ts';
import {
  createAnswer,
  failedAnswer,
  type Answer,
  type Attempt,
  type AttemptRequest,
  type LookupQuery,
  type LookupResult,
  type Provenance,
  type Source,
} from '../../domain/source.ts';
import { once } from '../../memoize.ts';
import { Problem } from '../../domain/problems.ts';
import type { HttpClient, RegistryResponse } from './http/client.ts';
import { classifyResponse, maxAvailableResponseAgeSeconds } from './classify-response.ts';
import { readJson } from './parser/json.ts';
import { parseRegistration, readExpiry } from './parser/registration.ts';
import type { SendPriority } from '../../throttle/send-priority.ts';
import type { OnParserError } from './parser-errors.ts';

interface RdapServer {
  /** Ends with a slash (RFC 9224 section 3). */
  readonly baseUrl: string;
  /** Returns whether this server's 404 proves that the name is not registered. */
  trustsNotFound(name: DomainName): boolean;
  /** Called with every name that the server finds. */
  recordFound(name: DomainName): void;
  /**
   * Called if the response for a name may belong to another request, possibly after it was
   * returned.
   */
  recordMismatch(name: DomainName): void;
}

export interface RdapOptions {
  readonly client: HttpClient;
  readonly clock: Clock;
  /** The time limit from sending the request to receiving the response. */
  readonly timeoutMs: number;
  readonly sendPriority: Pick<SendPriority, 'yieldToSends'>;
  readonly onParserError: OnParserError;
  /** Called for each 404 whose text is not recognized as "not found". */
  readonly onUnrecognized?: (host: string) => void;
}

// One registry rejects requests that accept only the RDAP type. RFC 7480 section 4.2 allows both,
// and other registries should get the RDAP type, so it is preferred.
const accept = 'application/rdap+json, application/json;q=0.9';

/**
 * Queries a registry over RDAP (RFC 9082 section 3.1.3): one exchange per lookup, without a queue,
 * retries or a cache.
 */
export class RdapSource implements Source {
  readonly id: string;
  readonly #server: RdapServer;
  readonly #options: RdapOptions;

  constructor(server: RdapServer, options: RdapOptions) {
    this.id = server.baseUrl;
    this.#server = server;
    this.#options = options;
  }

  async lookup({ name }: LookupQuery, request: AttemptRequest): Promise<Answer> {
    const { client, clock, timeoutMs } = this.#options;
    let isMismatched = false;
    const onMismatch = () => {
      isMismatched = true;
      this.#server.recordMismatch(name);
    };
    const sentAt = clock.now();
    request.observer?.onSent(name);
    const timeLimitMs = Math.min(timeoutMs, (request.responseDeadline ?? Infinity) - sentAt);
    const response = await client.get(`${this.id}domain/${name}`, { accept }, timeLimitMs, {
      beforeRedirect: request.beforeRedirect,
      onMismatch,
    });
    const answeredAt = clock.now();
    const attempt = (code: string): Attempt => ({
      phase: 'exchange',
      ms: answeredAt - sentAt,
      code,
    });
    if ('problem' in response) {
      const { problem, failure } = response;
      return this.#failed(problem, {
        sentAt,
        attempts: [attempt(problem.code)],
        ...(failure !== 'refused' && { failure }),
      });
    }
    const pendingSends = this.#yieldToSends(response.status, request);
    if (pendingSends) await pendingSends;
    if (isMismatched)
      return this.#failed(
        new Problem('untrusted_answer', 'The registry sent responses out of order.'),
        { sentAt },
      );
    return this.#read(response, name, {
      sentAt,
      answeredAt,
      attempts: [attempt(String(response.status))],
    });
  }

  /**
   * Waits until the requests that this response allows are sent. Single-name lookups do not wait
   * for requests that other responses allow.
   */
  #yieldToSends(status: number, request: AttemptRequest): Promise<void> | undefined {
    if (status !== 200 && status !== 404) return undefined;
    const sends = request.onAnswered?.() === true;
    return sends || request.priority !== 'single'
      ? this.#options.sendPriority.yieldToSends(sends)
      : undefined;
  }

  #read(response: RegistryResponse, name: DomainName, exchange: CompletedExchange): Answer {
    const { onParserError, onUnrecognized } = this.#options;
    try {
      const answer = answerOf(response, name, exchange, this.#server, onParserError);
      if (answer.provenance.evidence?.text !== undefined) onUnrecognized?.(new URL(this.id).host);
      if (answer.result.registration && !answer.provenance.fromOtherHost)
        this.#server.recordFound(name);
      return answer;
    } catch (error) {
      // No registry response may crash the process, even if our parser fails.
      onParserError(this.id, error);
      const problem = new Problem('untrusted_answer', 'The response could not be parsed.', {
        cause: error,
      });
      return this.#failed(problem, { sentAt: exchange.sentAt });
    }
  }

  #failed(problem: Problem, provenance: Partial<Provenance>): Answer {
    return failedAnswer(problem, { endpoint: this.id, ...provenance });
  }
}

/**
 * Hosts that return 404 without a body or a length: Verisign's for .com and .net, in a capture of
 * 2021-12-17.
 */
const undelimitedHosts = new Set(['rdap.verisign.com']);

/** The timing of an exchange. */
interface CompletedExchange extends Required<Pick<Provenance, 'sentAt' | 'attempts'>> {
  readonly answeredAt: number;
}

function answerOf(
  response: RegistryResponse,
  name: DomainName,
  exchange: CompletedExchange,
  { baseUrl, trustsNotFound }: RdapServer,
  onParserError: OnParserError,
): Answer {
  const { sentAt, answeredAt, attempts } = exchange;
  const isOwnHost = isSameOperator(response.url, baseUrl) && isLookupOf(response.url, name);
  const { verdict, object, problem, failure, notFoundEvidence, text } = classifyResponse(
    toRdapResponse(response, baseUrl, isOwnHost, trustsNotFound(name)),
    name,
  );
  const result = {
    verdict,
    ...(object && {
      registration: once(() => parseRegistration(object, (error) => onParserError(baseUrl, error))),
    }),
    ...(object && expiryOf(object)),
    ...(problem && { problem }),
  };
  return createAnswer(result, {
    endpoint: baseUrl,
    sentAt,
    attempts,
    evidence: {
      httpStatus: response.status,
      mediaType: response.mediaType,
      unproven: false,
      ...(text !== undefined && { text }),
    },
    ...(verdict !== 'UNKNOWN' && { checkedAt: answeredAt }),
    ...(failure && { failure }),
    ...(notFoundEvidence && { notFoundEvidence }),
    ...((!isOwnHost || response.ageSeconds > maxAvailableResponseAgeSeconds) && {
      fromOtherHost: true,
    }),
  });
}

function toRdapResponse(
  response: RegistryResponse,
  baseUrl: string,
  isOwnHost: boolean,
  is404Trusted: boolean,
): Parameters<typeof classifyResponse>[0] {
  const { status, mediaType, body, retryAfter, ageSeconds } = response;
  return {
    status,
    mediaType,
    isEmpty: body.length === 0,
    isDelimited: response.isDelimited || undelimitedHosts.has(new URL(baseUrl).host),
    json: readJson(body),
    isOwnHost,
    is404Trusted,
    contentLength: response.header('content-length'),
    retryAfter,
    ageSeconds,
  };
}

function expiryOf(object: JsonObject): Pick<LookupResult, 'expiresAt'> {
  const expiry = readExpiry(object);
  return expiry === undefined ? {} : { expiresAt: Date.parse(expiry) };
}

/**
 * Returns whether a response URL is a lookup of the name (RFC 9082 section 3.1.3), and not, for
 * example, a login page after a redirect.
 */
function isLookupOf({ pathname, search }: URL, name: DomainName): boolean {
  return search === '' && pathname.toLowerCase().endsWith(`/domain/${name}`);
}

/**
 * Returns whether a URL is at the server's origin, or under the same registrable domain. IP
 * addresses have none.
 */
function isSameOperator(url: URL, baseUrl: string): boolean {
  if (url.href.startsWith(baseUrl)) return true;
  const base = new URL(baseUrl);
  const domain = getDomain(url.hostname);
  return url.origin === base.origin || (domain !== null && domain === getDomain(base.hostname));
}
