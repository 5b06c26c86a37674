import type { Clock } from '../clock.ts';
import { askOne, unanswered, type Answer, type Asker, type Attempt, type Question, type Registry } from '../domain/registry.ts';
import { Problem } from '../problems.ts';
import type { Lane } from './lane.ts';

/** A registry whose questions take turns in the lane of its host. */
export function politeRegistry(registry: Registry, lane: Lane, clock: Clock): Registry {
  return { id: registry.id, ask: (questions, asker) => questions.map((question) => askInTurn(registry, lane, clock, question, asker)) };
}

/** A turn is given back whatever happens, and no question goes without an answer. */
function broken(error: unknown): Answer {
  return unanswered(new Problem('registry_error', 'The answer could not be read.', { cause: error }));
}

async function askInTurn(registry: Registry, lane: Lane, clock: Clock, question: Question, asker: Asker): Promise<Answer> {
  const enteredAt = clock.now();
  const turn = await lane.enter(asker);
  const queue = (code: string): Attempt => ({ phase: 'queue', ms: clock.now() - enteredAt, code });
  if (turn instanceof Problem) return { ...unanswered(turn), attempts: [queue(turn.code)] };
  const waited = queue('sent');
  const answer = await askOne(registry, question, asker).catch(broken);
  turn.end(answer);
  return { ...answer, attempts: [waited, ...(answer.attempts ?? [])] };
}
