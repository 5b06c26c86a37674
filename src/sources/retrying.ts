import type { Clock } from '../clock.ts';
import {
  withProvenance,
  type Answer,
  type AttemptRequest,
  type LookupQuery,
  type Source,
} from '../domain/source.ts';

/**
 * Queries a registry once more if it fails: after `Retry-After` if its host limits requests; at once if it is down, at the next server if there
 * is one. Both attempts share one time limit, counted from the first sending. A server whose circuit is open is skipped. "Not found" is an
 * answer, so no other server is queried (RFC 9224 section 4), and a limit applies to the operator of all servers.
 */
export class RetryingSource implements Source {
  readonly id: string;
  readonly #first: Source;
  readonly #second: Source;
  /** The same without the first server. */
  readonly #fallback: RetryingSource | undefined;
  readonly #timeoutMs: number;
  readonly #clock: Clock;

  constructor([first, ...others]: readonly [Source, ...Source[]], timeoutMs: number, clock: Clock) {
    const [second, ...rest] = others;
    this.id = first.id;
    this.#first = first;
    this.#second = second ?? first;
    this.#fallback = second && new RetryingSource([second, ...rest], timeoutMs, clock);
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  async lookup(query: LookupQuery, request: AttemptRequest): Promise<Answer> {
    const answer = await this.#first.lookup(query, request);
    if (isCircuitOpen(answer) && this.#fallback)
      return mergeAttempts(answer, await this.#fallback.lookup(query, request));
    const { sentAt, failure } = answer.provenance;
    if (sentAt === undefined || failure === undefined || failure === 'timeout') return answer;
    const responseDeadline = sentAt + this.#timeoutMs;
    const delayMs = (answer.result.problem?.retryAfter ?? 0) * 1000;
    if (this.#clock.now() + delayMs >= responseDeadline) return answer;
    if (delayMs > 0) await new Promise<void>((resolve) => this.#clock.after(delayMs, resolve));
    const server = failure === 'busy' ? this.#first : this.#second;
    const retryAnswer = await server.lookup(query, {
      ...request,
      queueDeadline: responseDeadline,
      responseDeadline,
      retry: hostOf(server) === hostOf(this.#first),
    });
    // A retry that was not even sent says less than the first attempt.
    const { sentAt: retrySentAt, attempts } = retryAnswer.provenance;
    return mergeAttempts(
      answer,
      retrySentAt === undefined ? withProvenance(answer, { attempts }) : retryAnswer,
    );
  }
}

/** Returns whether it was not sent because its host only fails; a host that wants no requests is `registry_busy`. */
function isCircuitOpen({ result, provenance }: Answer): boolean {
  return provenance.sentAt === undefined && result.problem?.code === 'registry_error';
}

/** Adds the attempts of an earlier answer. */
function mergeAttempts(earlier: Answer, answer: Answer): Answer {
  return withProvenance(answer, {
    attempts: [...earlier.provenance.attempts, ...answer.provenance.attempts],
  });
}

function hostOf({ id }: Source): string {
  return new URL(id).origin;
}
