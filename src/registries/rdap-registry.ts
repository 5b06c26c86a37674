import { getDomain } from 'tldts';
import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { JsonObject } from '../domain/registration.ts';
import { unanswered, type Answer, type Asker, type Attempt, type Source } from '../domain/registry.ts';
import { once } from '../once.ts';
import { Problem } from '../problems.ts';
import type { Client, Reply } from '../rdap/client.ts';
import { judge, maxAvailableAge } from '../rdap/judge.ts';
import { readJson } from '../rdap/json.ts';
import { parseRegistration, readExpiry } from '../rdap/parse.ts';
import type { SendPriority } from '../throttle/send-priority.ts';
import type { Overlooked } from './overlooked.ts';

export interface RdapServer {
  /** Ends with a slash (RFC 9224 section 3). */
  readonly baseUrl: string;
  /** Whether this server's "not found" proves that nobody holds the name. */
  absenceCounts(name: DomainName): boolean;
  /** Told of every name that the server holds. */
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
  readonly overlooked: Overlooked;
  /** Called for each 404 whose text is not recognized as "not found". */
  readonly onUnrecognized?: (host: string) => void;
}

// A lone RDAP type was refused by one registry; a lone JSON type would be impolite to the others (RFC 7480 section 4.2).
const accept = 'application/rdap+json, application/json;q=0.9';

/** A registry reached by RDAP (RFC 9082 section 3.1.3): one exchange a question, with no patience and no memory of its own. */
export function rdapRegistry(server: RdapServer, options: RdapOptions): Source {
  return {
    id: server.baseUrl,
    ask: ({ name }, asker) => lookUp(name, asker, server, options),
  };
}

async function lookUp(name: DomainName, asker: Asker, server: RdapServer, options: RdapOptions): Promise<Answer> {
  const { client, clock, timeoutMs, sendPriority, overlooked } = options;
  let isDisowned = false;
  const onDisowned = () => {
    isDisowned = true;
    server.disown(name);
  };
  const sentAt = clock.now();
  asker.onSent?.(name);
  const time = Math.min(timeoutMs, (asker.answerBy ?? Infinity) - sentAt);
  const outcome = await client.get(`${server.baseUrl}domain/${name}`, { accept }, time, { onward: asker.onward, onDisowned });
  const answeredAt = clock.now();
  const attempt = (code: string): Attempt => ({ phase: 'exchange', ms: answeredAt - sentAt, code });
  const trace = { endpoint: server.baseUrl, sentAt };
  if ('problem' in outcome) {
    const { problem, failure } = outcome;
    return { ...unanswered(problem), ...trace, attempts: [attempt(problem.code)], ...(failure !== 'refused' && { failure }) };
  }
  const isRead = outcome.status === 200 || outcome.status === 404;
  const sends = isRead && asker.onAnswered?.() === true;
  // Who wants one name does not wait for what others send.
  const sending = isRead && (sends || asker.kind !== 'single') ? sendPriority.yieldToSends(sends) : undefined;
  if (sending) await sending;
  try {
    const course = { sentAt, answeredAt, attempts: [attempt(String(outcome.status))] };
    if (isDisowned) return { ...unanswered(new Problem('untrusted_answer', 'The registry sent responses out of order.')), ...trace };
    const answer = answerOf(outcome, name, course, server, overlooked);
    if (answer.evidence?.text !== undefined) options.onUnrecognized?.(new URL(server.baseUrl).host);
    if (answer.registration && !answer.foreign) server.learn(name);
    return answer;
  } catch (error) {
    // Nothing that a registry sends may end the process, whatever the reader overlooked.
    overlooked(server.baseUrl, error);
    return { ...unanswered(new Problem('untrusted_answer', 'The registry sent something unreadable.', { cause: error })), ...trace };
  }
}

/** Hosts that are known to send a 404 with neither a body nor a length: Verisign's for .com and .net, in a capture of 2021-12-17. */
const undelimitedHosts = new Set(['rdap.verisign.com']);

/** How an exchange went. */
interface Course extends Required<Pick<Answer, 'sentAt' | 'attempts'>> {
  readonly answeredAt: number;
}

function answerOf(reply: Reply, name: DomainName, course: Course, server: RdapServer, overlooked: Overlooked): Answer {
  const { sentAt, answeredAt, attempts } = course;
  const ownHost = isSameOperator(reply.url, server.baseUrl) && isLookupOf(reply.url, name);
  const { verdict, object, problem, failure, absence, text } = judge(
    {
      status: reply.status,
      mediaType: reply.mediaType,
      empty: reply.body.length === 0,
      delimited: reply.delimited || undelimitedHosts.has(new URL(server.baseUrl).host),
      json: readJson(reply.body),
      ownHost,
      absenceCounts: server.absenceCounts(name),
      contentLength: reply.header('content-length'),
      retryAfter: reply.retryAfter,
      age: reply.age,
    },
    name,
  );
  return {
    verdict,
    evidence: { httpStatus: reply.status, mediaType: reply.mediaType, unproven: false, ...(text !== undefined && { text }) },
    cached: false,
    stale: false,
    endpoint: server.baseUrl,
    sentAt,
    attempts,
    ...(verdict !== 'UNKNOWN' && { checkedAt: answeredAt }),
    ...(object && { registration: once(() => parseRegistration(object, (error) => overlooked(server.baseUrl, error))) }),
    ...(object && expiryOf(object)),
    ...(problem && { problem }),
    ...(failure && { failure }),
    ...(absence && { absence }),
    ...((!ownHost || reply.age > maxAvailableAge) && { foreign: true }),
  };
}

function expiryOf(object: JsonObject): Pick<Answer, 'expiresAt'> {
  const expiry = readExpiry(object);
  return expiry === undefined ? {} : { expiresAt: Date.parse(expiry) };
}

/** Whether a URL, to which a redirect may have led, looks the name up (RFC 9082 section 3.1.3): a login page knows no names. */
function isLookupOf({ pathname, search }: URL, name: DomainName): boolean {
  return search === '' && pathname.toLowerCase().endsWith(`/domain/${name}`);
}

/** The same host (scheme, name and port), or one under the same registrable domain: an address has none. */
function isSameOperator(answered: URL, baseUrl: string): boolean {
  if (answered.href.startsWith(baseUrl)) return true;
  const asked = new URL(baseUrl);
  const domain = getDomain(answered.hostname);
  return answered.origin === asked.origin || (domain !== null && domain === getDomain(asked.hostname));
}
