import { askOne, unanswered, type Answer, type Asker, type Question, type Registry } from '../domain/registry.ts';
import { Problem } from '../problems.ts';
import type { Lane } from './lane.ts';

/** A registry whose questions take turns in the lane of its host. */
export function politeRegistry(registry: Registry, lane: Lane): Registry {
  return { id: registry.id, ask: (questions, asker) => questions.map((question) => askInTurn(registry, lane, question, asker)) };
}

async function askInTurn(registry: Registry, lane: Lane, question: Question, asker: Asker): Promise<Answer> {
  const turn = await lane.enter(asker);
  if (turn instanceof Problem) return unanswered(turn);
  const answer = await askOne(registry, question, asker);
  turn.end(answer.failure === 'busy' ? (answer.problem?.retryAfter ?? defaultPauseSeconds) : undefined);
  return answer;
}

/** A host that says 429 or 503 without saying for how long. */
const defaultPauseSeconds = 1;
