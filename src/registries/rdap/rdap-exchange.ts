import type { Clock } from '../../clock.ts';
import { failedAnswer, type Answer, type Attempt, type Provenance } from '../../domain/answer.ts';
import { Problem } from '../../domain/problems.ts';
import type { AttemptRequest } from '../../domain/source.ts';
import type { Log } from '../../log.ts';
import type { HttpClient, RegistryResponse } from '../../outbound/client.ts';
import type { SendPriority } from '../../outbound/queues/send-priority.ts';

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

/** The timing of an exchange. */
export interface CompletedExchange extends Required<Pick<Provenance, 'sentAt' | 'attempts'>> {
  /** When the response arrived, or when an intermediate cache received it, by its `Age`. */
  readonly answeredAt: number;
}

interface RdapLookup<T> {
  /** Ends with a slash (RFC 9224 section 3). */
  readonly baseUrl: string;
  /** Relative to the base URL (RFC 9082 section 3.1). */
  readonly path: string;
  /** The value of `Accept-Language`. */
  readonly language?: string | undefined;
  /** Returns the answer of a response. An error that it throws is a bug, and is reported. */
  read(response: RegistryResponse, exchange: CompletedExchange): Answer<T>;
  /** Called if the response may belong to another request, possibly after it was returned. */
  onMismatch?(): void;
}

// One registry rejects requests that accept only the RDAP type. RFC 7480 section 4.2 allows both,
// and other registries should get the RDAP type, so it is preferred.
const accept = 'application/rdap+json, application/json;q=0.9';

/** Answers are not stored for longer. */
const maxHeldMs = 30 * 24 * 60 * 60 * 1000;

/** Makes one exchange, without a queue, retries or a cache. Never rejects. */
export async function exchangeRdap<T>(
  lookup: RdapLookup<T>,
  request: AttemptRequest,
  { client, clock, timeoutMs, sendPriority, onParserError }: RdapOptions,
): Promise<Answer<T>> {
  const { baseUrl, path, language } = lookup;
  const headers = { accept, ...(language !== undefined && { 'accept-language': language }) };
  let isMismatched = false;

  const onMismatch = () => {
    isMismatched = true;
    lookup.onMismatch?.();
  };

  const failed = (problem: Problem, provenance: Partial<Provenance>) =>
    failedAnswer(problem, { endpoint: baseUrl, ...provenance });
  const sentAt = clock.now();
  const timeLimitMs = Math.min(timeoutMs, (request.responseDeadline ?? Infinity) - sentAt);
  const response = await client.get(`${baseUrl}${path}`, headers, timeLimitMs, {
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
    return failed(problem, {
      sentAt,
      attempts: [attempt(problem.code)],
      ...(failure !== 'refused' && { failure }),
    });
  }

  const pendingSends = yieldToSends(response.status, request, sendPriority);
  if (pendingSends) await pendingSends;
  if (isMismatched)
    return failed(new Problem('untrusted_answer', 'The registry sent responses out of order.'), {
      sentAt,
    });

  try {
    const attempts = [attempt(String(response.status))];
    const heldMs = Math.min(response.heldSeconds * 1000, maxHeldMs);
    return lookup.read(response, { sentAt, answeredAt: answeredAt - heldMs, attempts });
  } catch (error) {
    // No registry response may crash the process, even if our parser fails.
    onParserError(baseUrl, error);
    const problem = new Problem('untrusted_answer', 'The response could not be parsed.', {
      cause: error,
    });
    return failed(problem, { sentAt });
  }
}

/**
 * Waits until the requests that this response allows are sent. Single-name lookups do not wait for
 * requests that other responses allow.
 */
function yieldToSends(
  status: number,
  request: AttemptRequest,
  sendPriority: RdapOptions['sendPriority'],
): Promise<void> | undefined {
  if (status !== 200 && status !== 404) return undefined;
  const sends = request.onAnswered?.() === true;
  return sends || request.priority !== 'single' ? sendPriority.yieldToSends(sends) : undefined;
}

/**
 * Receives an error of our parser, with the URL of the server whose response it failed to parse.
 * Clients see a registry failure.
 */
export type OnParserError = (url: string, error: unknown) => void;

/**
 * Returns a function that logs errors with the host, but without the error message, which may quote
 * a name or a contact.
 */
export function createParserErrorLogger(log: Log): OnParserError {
  return (url, error) => {
    const { host } = new URL(url);
    const err =
      error instanceof Error
        ? { type: error.name, stack: framesOf(error) }
        : { type: typeof error };

    log.error(
      { host, err },
      'Failed to parse a registry response: parser bug. Report it with the host and the stack trace.',
    );
  };
}

/** Returns the frames of a stack trace, without the message that V8 puts before them. */
function framesOf({ stack = '', message }: Error): string {
  return stack.slice(stack.indexOf(message) + message.length).trim();
}
