import type { Clock } from '../clock.ts';
import { askOne, type Answer, type Asker, type Question, type Registry } from '../domain/registry.ts';

/**
 * A registry that asks once more: when a host says "later", after the time it named; when it breaks down, at once, at the next server where
 * there is one. "Not found" is an answer, so it is never asked of another server (RFC 9224 section 4). Both tries share one time limit,
 * from the first sending.
 */
export function persistentRegistry(servers: readonly [Registry, ...Registry[]], timeoutMs: number, clock: Clock): Registry {
  const [first, second = first] = servers;

  async function onceMore(firstAnswer: Promise<Answer>, question: Question, asker: Asker): Promise<Answer> {
    const answer = await firstAnswer;
    if (answer.sentAt === undefined || (answer.failure !== 'busy' && answer.failure !== 'down')) return answer;
    const answerBy = answer.sentAt + timeoutMs;
    const pauseMs = (answer.problem?.retryAfter ?? 0) * 1000;
    if (clock.now() + pauseMs >= answerBy) return answer;
    if (pauseMs > 0) await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
    const server = answer.failure === 'busy' ? first : second;
    const secondAnswer = await askOne(server, question, { ...asker, sendBy: answerBy, answerBy, retry: true });
    // A second try that was not even sent says less than the first.
    const attempts = [...(answer.attempts ?? []), ...(secondAnswer.attempts ?? [])];
    return { ...(secondAnswer.sentAt === undefined ? answer : secondAnswer), attempts };
  }

  return {
    id: first.id,
    ask: (questions, asker) =>
      first.ask(questions, asker).map((answer, index) => {
        const question = questions[index];
        return question ? onceMore(answer, question, asker) : answer;
      }),
  };
}
