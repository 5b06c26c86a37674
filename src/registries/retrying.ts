import type { Clock } from '../clock.ts';
import { withProvenance, type Answer } from '../domain/answer.ts';
import type { Source } from '../domain/source.ts';

/**
 * Retries a failed lookup once: after `Retry-After` at the same server if that returned 429 or 503,
 * and otherwise immediately, at the next server if there is one. Timeouts are not retried. Both
 * attempts share one time limit, counted from when the first was sent. A server whose circuit
 * breaker is open is skipped. A 404 is an answer and is not retried elsewhere (RFC 9224 section 4).
 * A 429 is not retried elsewhere either, because all servers of a registry have the same operator.
 */
export function retryingSource<Q, T>(
  [first, ...others]: readonly [Source<Q, T>, ...Source<Q, T>[]],
  timeoutMs: number,
  clock: Clock,
): Source<Q, T> {
  const [second = first, ...rest] = others;
  const fallback = others.length > 0 && retryingSource([second, ...rest], timeoutMs, clock);

  return {
    id: first.id,
    async lookup(query, request) {
      const answer = await first.lookup(query, request);
      if (isCircuitOpen(answer) && fallback)
        return mergeAttempts(answer, await fallback.lookup(query, request));

      const { sentAt, failure } = answer.provenance;
      if (sentAt === undefined || failure === undefined || failure === 'timeout') return answer;

      const responseDeadline = Math.min(request.responseDeadline ?? Infinity, sentAt + timeoutMs);
      const delayMs = (answer.problem?.retryAfter ?? 0) * 1000;
      if (clock.now() + delayMs >= responseDeadline) return answer;

      if (delayMs > 0) await new Promise<void>((resolve) => clock.after(delayMs, resolve));
      const server = failure === 'busy' ? first : second;
      const retryAnswer = await server.lookup(query, {
        ...request,
        queueDeadline: responseDeadline,
        responseDeadline,
        retry: hostOf(server) === hostOf(first),
      });

      // If the retry was not sent, the first attempt's failure is the more useful answer.
      const { sentAt: retrySentAt, attempts } = retryAnswer.provenance;
      return mergeAttempts(
        answer,
        retrySentAt === undefined ? withProvenance(answer, { attempts }) : retryAnswer,
      );
    },
  };
}

/**
 * Returns whether the lookup was not sent because of an open circuit breaker. With a back-off, it
 * is `registry_busy`.
 */
function isCircuitOpen({ problem, provenance }: Answer<unknown>): boolean {
  return provenance.sentAt === undefined && problem?.code === 'registry_error';
}

/** Prepends the attempts of an earlier answer. */
function mergeAttempts<T>(earlier: Answer<T>, answer: Answer<T>): Answer<T> {
  return withProvenance(answer, {
    attempts: [...earlier.provenance.attempts, ...answer.provenance.attempts],
  });
}

function hostOf({ id }: { readonly id: string }): string {
  return new URL(id).origin;
}
