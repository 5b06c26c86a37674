import type { Clock } from '../clock.ts';
import type { Answer, Asker, Question, Source } from '../domain/registry.ts';

/**
 * A registry that asks once more: when a host says "later", after the time it named; when it breaks down, at once, at the next server where
 * there is one. Both tries share one time limit, from the first sending. A server that has been given up is passed over. "Not found" is an
 * answer, so it is never asked of another server (RFC 9224 section 4), and "later" is the wish of whoever runs them all.
 */
export function persistentRegistry(servers: readonly [Source, ...Source[]], timeoutMs: number, clock: Clock): Source {
  const [first, second = first, ...others] = servers;
  const elsewhere = second === first ? undefined : persistentRegistry([second, ...others], timeoutMs, clock);

  async function ask(question: Question, asker: Asker): Promise<Answer> {
    const answer = await first.ask(question, asker);
    if (isGivenUp(answer) && elsewhere) return after(answer, await elsewhere.ask(question, asker));
    if (answer.sentAt === undefined || answer.failure === undefined || answer.failure === 'timeout') return answer;
    const answerBy = answer.sentAt + timeoutMs;
    const pauseMs = (answer.problem?.retryAfter ?? 0) * 1000;
    if (clock.now() + pauseMs >= answerBy) return answer;
    if (pauseMs > 0) await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
    const server = answer.failure === 'busy' ? first : second;
    const secondAnswer = await server.ask(question, { ...asker, sendBy: answerBy, answerBy, retry: hostOf(server) === hostOf(first) });
    // A second try that was not even sent says less than the first.
    return after(answer, secondAnswer.sentAt === undefined ? { ...answer, attempts: secondAnswer.attempts ?? [] } : secondAnswer);
  }

  return { id: first.id, ask };
}

/** Not sent, because its host does nothing but fail; one that wants to be left alone is `registry_busy`. */
function isGivenUp({ sentAt, problem }: Answer): boolean {
  return sentAt === undefined && problem?.code === 'registry_error';
}

/** An answer that another came before. */
function after({ attempts: earlier = [] }: Answer, { attempts = [], ...answer }: Answer): Answer {
  return { ...answer, attempts: [...earlier, ...attempts] };
}

const hostOf = ({ id }: Source) => new URL(id).origin;
