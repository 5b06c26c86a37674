import { connect, isIP, type Socket } from 'node:net';
import type { Clock } from '../../clock.ts';
import { answerOf, type FailureKind, type NameData } from '../../domain/answer.ts';
import type { DomainName } from '../../domain/names/domain-name.ts';
import type { HostPort } from '../../domain/names/ip-address.ts';
import { Problem, type ProblemCode } from '../../domain/problems.ts';
import type { Registration } from '../../domain/registration.ts';
import type { Source } from '../../domain/source.ts';
import type { Verdict } from '../../domain/verdict.ts';
import {
  isPublicAddress,
  checkedLookup,
  ForbiddenAddressError,
  type Resolve,
} from '../../outbound/public-address.ts';

interface Server {
  readonly own: HostPort;
  /** The one that the operator uses instead. */
  readonly configured: HostPort | undefined;
}

export interface TcpOptions {
  readonly clock: Clock;
  /** The time limit from connecting to the last line of the reply; at most 5 seconds. */
  readonly timeoutMs: number;
  /** Also allows connections to private and loopback addresses, but only to the operator's server. */
  readonly allowPrivate: boolean;
  /** Replaces the system's resolver, for tests. */
  readonly resolve?: Resolve;
  /** Defaults to `exchangeText`. */
  readonly exchangeText?: ExchangeText;
}

const maxTimeoutMs = 5000;

/**
 * Returns a source that queries a server in a text protocol: one TCP connection per lookup, without
 * a queue, retries or a cache.
 */
export function tcpSource(
  protocol: TextProtocol,
  { own, configured }: Server,
  options: TcpOptions,
): Source {
  const { clock, timeoutMs, exchangeText: exchange = exchangeText } = options;
  const { kind } = protocol;
  const address = configured ?? own;
  const id = tcpUrl(kind, address);
  const isAllowed = configured && options.allowPrivate ? () => true : isPublicAddress;

  const classify = (name: DomainName, { bytes, end, cause }: ReceivedReply) => {
    if (end === 'complete') return protocol.classify(name, decodeReply(bytes));
    // A reply that was cut off says nothing, even if a line of it could be read.
    return interrupted(end, protocol, address.host, cause);
  };

  return {
    id,
    async lookup({ name: { ascii: name } }, { responseDeadline = Infinity }) {
      const sentAt = clock.now();
      const text = protocol.queryOf(name);
      const limitMs = Math.min(timeoutMs, maxTimeoutMs, responseDeadline - sentAt);
      const timeLimitMs = Math.max(limitMs, 0);
      const query = { ...address, ...options, name, protocol, text, isAllowed, timeLimitMs };

      const received = await exchange(query);
      const checkedAt = clock.now();
      const classification = classify(name, received);
      const { verdict, mayBeRegistered, problem, failure, pattern, replyForm } = classification;
      const code = problem?.code ?? verdict?.toLowerCase() ?? '';

      return answerOf(dataOf(classification, received), problem, {
        endpoint: id,
        sentAt,
        attempts: [{ source: kind, phase: 'exchange', ms: checkedAt - sentAt, code }],
        ...(verdict && { checkedAt }),
        ...((verdict || pattern) && {
          evidence: { unproven: false, ...(pattern && { pattern }) },
        }),
        ...(mayBeRegistered && { mayBeRegistered }),
        ...(failure && { failure }),
        ...(replyForm && { replyForm }),
      });
    },
  };
}

/** Returns the verdict with its registration. The rest of the reply is dropped, as it may hold personal data. */
function dataOf(
  { verdict, registration }: ReplyClassification,
  { bytes }: ReceivedReply,
): NameData | undefined {
  if (!verdict || !registration) return verdict && { verdict };

  const { expiresAt } = registration;
  return {
    verdict,
    registration: () => registration,
    characters: bytes.length,
    ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
  };
}

/** Classifies a reply that was not received completely. */
function interrupted(
  end: Exclude<ReplyEnd, 'complete'>,
  { maxReplyBytes, unclearCode }: TextProtocol,
  host: string,
  cause: Error | undefined,
): ReplyClassification {
  const unknown = (code: ProblemCode, text: string, failure?: FailureKind) => ({
    problem: new Problem(code, `${host} ${text}.`, { cause }),
    ...(failure && { failure }),
  });
  switch (end) {
    case 'too_large':
      return unknown(unclearCode, `sent more than ${maxReplyBytes / 1024} KiB`);
    case 'timeout':
      return unknown('registry_timeout', 'did not respond in time', 'timeout');
    case 'unreachable':
      return unknown('registry_error', 'could not be reached', 'down');
    case 'disconnected':
      // The queried name may be the cause, so that the circuit breaker decides whether to pause.
      return unknown('registry_error', 'closed the connection without a complete reply', 'down');
    case 'forbidden':
      return unknown('registry_error', 'does not have a public address');
  }
}

/** Returns the URL that identifies a server, e.g. `das://das.eu:4343/`. */
function tcpUrl(kind: TextProtocol['kind'], { host, port }: HostPort): string {
  return `${kind}://${host.includes(':') ? `[${host}]` : host}:${port}/`;
}

/** Decodes UTF-8, or ISO-8859-1 if the bytes are not valid UTF-8. */
export function decodeReply(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

/** What was received, and what ended it. */
export interface ReceivedReply {
  readonly bytes: Buffer;
  readonly end: ReplyEnd;
  readonly cause?: Error;
}

/**
 * `complete`: the last line was received, or the server closed the connection after sending
 * something. `unreachable`: no connection was established. `disconnected`: the server reset the
 * connection, or closed it without a reply. `forbidden`: the host has no address that may be
 * connected to.
 */
export const replyEnds = [
  'complete',
  'too_large',
  'timeout',
  'unreachable',
  'disconnected',
  'forbidden',
] as const;
type ReplyEnd = (typeof replyEnds)[number];

export interface TextQuery extends HostPort, Pick<TcpOptions, 'clock' | 'resolve'> {
  readonly name: DomainName;
  readonly protocol: TextProtocol;
  readonly text: string;
  readonly isAllowed: (address: string) => boolean;
  readonly timeLimitMs: number;
}

/** Sends a query and reads the reply. Never rejects. */
export type ExchangeText = (query: TextQuery) => Promise<ReceivedReply>;

export const exchangeText: ExchangeText = (query) => new TextExchange(query).reply;

/** Sends a query over a new connection and reads the reply, which never rejects. */
class TextExchange {
  readonly #query: TextQuery;
  readonly #reply = Promise.withResolvers<ReceivedReply>();
  readonly #cancelTimer: () => void;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #isConnected = false;
  #socket: Socket | undefined;

  constructor(query: TextQuery) {
    this.#query = query;
    this.#cancelTimer = query.clock.after(query.timeLimitMs, () => this.#end('timeout'));
    this.#start();
  }

  get reply(): Promise<ReceivedReply> {
    return this.#reply.promise;
  }

  get #bytes(): Buffer {
    return Buffer.concat(this.#chunks).subarray(0, this.#query.protocol.maxReplyBytes);
  }

  #start(): void {
    const { host, port, text, isAllowed, resolve } = this.#query;
    if (isIP(host) && !isAllowed(host)) return this.#end('forbidden');

    const lookup = checkedLookup(isAllowed, resolve);
    this.#socket = connect({ host, port, lookup, autoSelectFamily: true })
      .on('connect', () => (this.#isConnected = true))
      .on('data', (chunk: Buffer) => this.#read(chunk))
      .on('end', () => this.#end(this.#length > 0 ? 'complete' : 'disconnected'))
      .on('error', (error) => {
        if (error instanceof ForbiddenAddressError) this.#end('forbidden', error);
        else this.#end(this.#isConnected ? 'disconnected' : 'unreachable', error);
      });
    this.#socket.write(text);
  }

  #read(chunk: Buffer): void {
    const { protocol } = this.#query;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (protocol.hasLastLine?.(this.#bytes.toString('latin1'))) this.#end('complete');
    else if (this.#length > protocol.maxReplyBytes) this.#end('too_large');
  }

  #end(end: ReplyEnd, cause?: Error): void {
    this.#cancelTimer();
    this.#socket?.destroy();
    this.#reply.resolve({ bytes: this.#bytes, end, ...(cause && { cause }) });
  }
}

/** A protocol in which a line of text is the query, and a text the reply. */
export interface TextProtocol {
  readonly kind: 'das' | 'whois';
  /** A larger reply is not used. */
  readonly maxReplyBytes: number;
  /** Returns the query for a name, with its line end. */
  queryOf(name: DomainName): string;
  /**
   * Returns whether the text contains the last line of a reply. Without it, the server ends the
   * reply by closing the connection.
   */
  hasLastLine?(text: string): boolean;
  /** Classifies a complete reply. Anything that it does not recognize is UNKNOWN. */
  classify(name: DomainName, text: string): ReplyClassification;
  /** The problem of a reply that cannot be interpreted. */
  readonly unclearCode: ProblemCode;
  /** Returns which lines of a reply its classification reads; by default, all. */
  linesRead?(name: DomainName, text: string): (line: string) => boolean;
}

/** What a reply says about the queried name. */
export interface ReplyClassification {
  readonly verdict?: Verdict;
  /** What else it says, if the name is registered. */
  readonly registration?: Registration;
  /** The name cannot be registered, but it is unknown whether that is because it is registered. */
  readonly mayBeRegistered?: boolean;
  /** Present if and only if there is no verdict. */
  readonly problem?: Problem;
  readonly failure?: FailureKind;
  /** Identifies the pattern that the reply matches. */
  readonly pattern?: string;
  /** As in `Provenance`. */
  readonly replyForm?: string;
}
