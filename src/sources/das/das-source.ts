import type { Clock } from '../../clock.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import { Problem, type ProblemCode } from '../../domain/problems.ts';
import {
  createAnswer,
  type Answer,
  type AttemptRequest,
  type FailureKind,
  type LookupQuery,
  type Source,
} from '../../domain/source.ts';
import { isPublicAddress, type Resolve } from '../../public-address.ts';
import { classifyReply, hasLastLine, type ReplyClassification } from './classify-reply.ts';
import { toRequest, type DasService, type RequestForm } from './das-services.ts';
import { exchange, type ReceivedReply, type ReplyEnd } from './exchange.ts';

/** A server that the operator uses instead of the registry's own. */
export interface DasEndpoint {
  /** A host name or an IP address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface DasOptions {
  readonly clock: Clock;
  /** The time limit from connecting to the last line of the reply; at most 5 seconds. */
  readonly timeoutMs: number;
  /** Also allows connections to private and loopback addresses, but only to the operator's server. */
  readonly allowPrivate: boolean;
  /** Replaces the system's resolver, for tests. */
  readonly resolve?: Resolve;
}

const maxTimeoutMs = 5000;

/**
 * Queries the availability service of a registry: one TCP connection per lookup, without a queue,
 * retries or a cache. Without an endpoint, the registry's own server is queried.
 */
export class DasSource implements Source {
  readonly id: string;
  readonly #service: DasService;
  readonly #form: RequestForm;
  readonly #endpoint: DasEndpoint;
  readonly #isAllowed: (address: string) => boolean;
  readonly #options: DasOptions;

  constructor(
    service: DasService,
    endpoint: DasEndpoint | undefined,
    form: RequestForm,
    options: DasOptions,
  ) {
    this.id = dasUrl(endpoint ?? service);
    this.#service = service;
    this.#form = form;
    this.#endpoint = endpoint ?? service;
    this.#isAllowed = endpoint && options.allowPrivate ? () => true : isPublicAddress;
    this.#options = options;
  }

  async lookup({ name }: LookupQuery, request: AttemptRequest): Promise<Answer> {
    const { clock, timeoutMs } = this.#options;
    const sentAt = clock.now();
    request.observer?.onSent(name);
    const received = await this.#exchange(
      name,
      Math.max(
        Math.min(timeoutMs, maxTimeoutMs, (request.responseDeadline ?? Infinity) - sentAt),
        0,
      ),
    );
    const checkedAt = clock.now();
    const { verdict, mayBeRegistered, problem, failure } = this.#classify(name, received);
    const code = problem?.code ?? verdict.toLowerCase();
    return createAnswer(
      { verdict, ...(problem && { problem }) },
      {
        endpoint: this.id,
        sentAt,
        attempts: [{ source: 'das', phase: 'exchange', ms: checkedAt - sentAt, code }],
        ...(!problem && { checkedAt, evidence: { unproven: false } }),
        ...(mayBeRegistered && { mayBeRegistered }),
        ...(failure && { failure }),
      },
    );
  }

  #exchange(name: DomainName, timeLimitMs: number): Promise<ReceivedReply> {
    const { host, port } = this.#endpoint;
    const { clock, resolve } = this.#options;
    return exchange({
      host,
      port,
      text: toRequest(this.#form, name),
      isAllowed: this.#isAllowed,
      resolve,
      isLast: (bytes) => hasLastLine(this.#service, bytes.toString('latin1')),
      timeLimitMs,
      clock,
    });
  }

  #classify(name: DomainName, { bytes, end, cause }: ReceivedReply): ReplyClassification {
    if (end === 'complete') return classifyReply(this.#service, name, decode(bytes));
    // A reply that was cut off says nothing, even if a line of it could be read.
    const { code, text, failure } = interruptions[end];
    const problem = new Problem(code, `${this.#endpoint.host} ${text}.`, { cause });
    return { verdict: 'UNKNOWN', problem, ...(failure && { failure }) };
  }
}

interface Interruption {
  readonly code: ProblemCode;
  readonly text: string;
  readonly failure?: FailureKind;
}

const interruptions: Readonly<Record<Exclude<ReplyEnd, 'complete'>, Interruption>> = {
  too_large: { code: 'untrusted_answer', text: 'sent more than 4 KiB' },
  timeout: { code: 'registry_timeout', text: 'did not respond in time', failure: 'timeout' },
  disconnected: {
    code: 'registry_error',
    text: 'could not be reached, or closed the connection',
    failure: 'down',
  },
  forbidden: { code: 'registry_error', text: 'does not have a public address' },
};

/** Returns the URL that identifies an availability service, e.g. `das://das.eu:4343/`. */
function dasUrl({ host, port }: DasEndpoint): string {
  return `das://${host.includes(':') ? `[${host}]` : host}:${port}/`;
}

/** Decodes UTF-8, or ISO-8859-1 if the bytes are not valid UTF-8. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
