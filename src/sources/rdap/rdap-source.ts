import { getDomain } from 'tldts';
import type { Clock } from '../../clock.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import type { JsonObject } from '../../domain/registration.ts';
import {
  answered,
  unanswered,
  type Answer,
  type Attempt,
  type AttemptRequest,
  type LookupQuery,
  type LookupResult,
  type Provenance,
  type Source,
} from '../../domain/source.ts';
import { once } from '../../once.ts';
import { Problem } from '../../domain/problems.ts';
import type { Client, Reply } from './http/client.ts';
import { judge, maxAvailableAge } from './classify-response.ts';
import { readJson } from './parser/json.ts';
import { parseRegistration, readExpiry } from './parser/registration.ts';
import type { SendPriority } from '../../throttle/send-priority.ts';
import type { OnParserError } from './parser-errors.ts';

interface RdapServer {
  /** Ends with a slash (RFC 9224 section 3). */
  readonly baseUrl: string;
  /** Returns whether this server's "not found" proves that the name is not registered. */
  absenceCounts(name: DomainName): boolean;
  /** Called with every name that the server holds. */
  learn(name: DomainName): void;
  /** Called when the answer for a name turns out to belong to another request, possibly after it was returned. */
  disown(name: DomainName): void;
}

export interface RdapOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** From the sending to the answer. */
  readonly timeoutMs: number;
  readonly sendPriority: Pick<SendPriority, 'yieldToSends'>;
  readonly onParserError: OnParserError;
  /** Called for each 404 whose text is not recognized as "not found". */
  readonly onUnrecognized?: (host: string) => void;
}

// A lone RDAP type was refused by one registry; a lone JSON type would be impolite to the others (RFC 7480 section 4.2).
const accept = 'application/rdap+json, application/json;q=0.9';

/** Queries a registry by RDAP (RFC 9082 section 3.1.3): one exchange per lookup, without a queue, retries or a cache. */
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
    let isDisowned = false;
    const onDisowned = () => {
      isDisowned = true;
      this.#server.disown(name);
    };
    const sentAt = clock.now();
    request.observer?.onSent(name);
    const time = Math.min(timeoutMs, (request.responseDeadline ?? Infinity) - sentAt);
    const reply = await client.get(`${this.id}domain/${name}`, { accept }, time, {
      beforeRedirect: request.beforeRedirect,
      onDisowned,
    });
    const answeredAt = clock.now();
    const attempt = (code: string): Attempt => ({
      phase: 'exchange',
      ms: answeredAt - sentAt,
      code,
    });
    if ('problem' in reply) {
      const { problem, failure } = reply;
      return this.#failed(problem, {
        sentAt,
        attempts: [attempt(problem.code)],
        ...(failure !== 'refused' && { failure }),
      });
    }
    const sending = this.#yieldToSends(reply.status, request);
    if (sending) await sending;
    if (isDisowned)
      return this.#failed(
        new Problem('untrusted_answer', 'The registry sent responses out of order.'),
        { sentAt },
      );
    return this.#read(reply, name, {
      sentAt,
      answeredAt,
      attempts: [attempt(String(reply.status))],
    });
  }

  /** Waits before a response is read until the requests that it lets through are sent. A single name does not wait for what others send. */
  #yieldToSends(status: number, request: AttemptRequest): Promise<void> | undefined {
    if (status !== 200 && status !== 404) return undefined;
    const sends = request.onAnswered?.() === true;
    return sends || request.priority !== 'single'
      ? this.#options.sendPriority.yieldToSends(sends)
      : undefined;
  }

  #read(reply: Reply, name: DomainName, course: Course): Answer {
    const { onParserError, onUnrecognized } = this.#options;
    try {
      const answer = answerOf(reply, name, course, this.#server, onParserError);
      if (answer.provenance.evidence?.text !== undefined) onUnrecognized?.(new URL(this.id).host);
      if (answer.result.registration && !answer.provenance.foreign) this.#server.learn(name);
      return answer;
    } catch (error) {
      // Nothing that a registry sends may end the process, even if our parser fails.
      onParserError(this.id, error);
      const problem = new Problem('untrusted_answer', 'The registry sent something unreadable.', {
        cause: error,
      });
      return this.#failed(problem, { sentAt: course.sentAt });
    }
  }

  #failed(problem: Problem, provenance: Partial<Provenance>): Answer {
    return unanswered(problem, { endpoint: this.id, ...provenance });
  }
}

/** Hosts that are known to send a 404 with neither a body nor a length: Verisign's for .com and .net, in a capture of 2021-12-17. */
const undelimitedHosts = new Set(['rdap.verisign.com']);

/** How an exchange went. */
interface Course extends Required<Pick<Provenance, 'sentAt' | 'attempts'>> {
  readonly answeredAt: number;
}

function answerOf(
  reply: Reply,
  name: DomainName,
  course: Course,
  { baseUrl, absenceCounts }: RdapServer,
  onParserError: OnParserError,
): Answer {
  const { sentAt, answeredAt, attempts } = course;
  const ownHost = isSameOperator(reply.url, baseUrl) && isLookupOf(reply.url, name);
  const { verdict, object, problem, failure, absence, text } = judge(
    receivedFrom(reply, baseUrl, ownHost, absenceCounts(name)),
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
  return answered(result, {
    endpoint: baseUrl,
    sentAt,
    attempts,
    evidence: {
      httpStatus: reply.status,
      mediaType: reply.mediaType,
      unproven: false,
      ...(text !== undefined && { text }),
    },
    ...(verdict !== 'UNKNOWN' && { checkedAt: answeredAt }),
    ...(failure && { failure }),
    ...(absence && { absence }),
    ...((!ownHost || reply.age > maxAvailableAge) && { foreign: true }),
  });
}

function receivedFrom(
  reply: Reply,
  baseUrl: string,
  ownHost: boolean,
  absenceCounts: boolean,
): Parameters<typeof judge>[0] {
  const { status, mediaType, body, retryAfter, age } = reply;
  return {
    status,
    mediaType,
    empty: body.length === 0,
    delimited: reply.delimited || undelimitedHosts.has(new URL(baseUrl).host),
    json: readJson(body),
    ownHost,
    absenceCounts,
    contentLength: reply.header('content-length'),
    retryAfter,
    age,
  };
}

function expiryOf(object: JsonObject): Pick<LookupResult, 'expiresAt'> {
  const expiry = readExpiry(object);
  return expiry === undefined ? {} : { expiresAt: Date.parse(expiry) };
}

/** Whether a URL, to which a redirect may have led, looks the name up (RFC 9082 section 3.1.3): a login page knows no names. */
function isLookupOf({ pathname, search }: URL, name: DomainName): boolean {
  return search === '' && pathname.toLowerCase().endsWith(`/domain/${name}`);
}

/** Returns whether a URL is at the server's host (scheme, name and port), or under the same registrable domain: an address has none. */
function isSameOperator(url: URL, baseUrl: string): boolean {
  if (url.href.startsWith(baseUrl)) return true;
  const base = new URL(baseUrl);
  const domain = getDomain(url.hostname);
  return url.origin === base.origin || (domain !== null && domain === getDomain(base.hostname));
}
