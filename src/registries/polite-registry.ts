import type { Clock } from '../clock.ts';
import {
  askOne,
  unanswered,
  type Answer,
  type Asker,
  type Attempt,
  type Onward,
  type Outcome,
  type Question,
  type Registry,
} from '../domain/registry.ts';
import { Problem } from '../problems.ts';
import type { Lane, Turn } from './lane.ts';

/** A registry whose questions take turns in the lane of its host and, where it redirects, in the lane of each host that they are sent on to. */
export function politeRegistry(registry: Registry, lane: Lane, laneOf: (url: string) => Lane, clock: Clock): Registry {
  async function askInTurn(question: Question, asker: Asker): Promise<Answer> {
    const enteredAt = clock.now();
    const turn = await lane.enter(asker);
    const queue = (code: string): Attempt => ({ phase: 'queue', ms: clock.now() - enteredAt, code });
    if (turn instanceof Problem) return { ...unanswered(turn), attempts: [queue(turn.code)] };
    const waited = queue('sent');
    const journey = begin(turn, registry.id, asker, laneOf);
    const answer = await askOne(registry, question, { ...asker, onward: journey.onward, onAnswered: journey.answered }).catch(broken);
    journey.end(answer);
    return { ...answer, attempts: [waited, ...(answer.attempts ?? [])] };
  }

  return { id: registry.id, ask: (questions, asker) => questions.map((question) => askInTurn(question, asker)) };
}

/** A turn is given back whatever happens, and no question goes without an answer. */
function broken(error: unknown): Answer {
  return unanswered(new Problem('registry_error', 'The answer could not be read.', { cause: error }));
}

/** A question's way from host to host, with a turn at each. What came of it in the end is the last one's. */
interface Journey {
  readonly onward: Onward;
  answered(): void;
  end(outcome: Outcome): void;
}

function begin(first: Turn, url: string, asker: Asker, laneOf: (url: string) => Lane): Journey {
  let turn: Turn | undefined = first;
  let asked = url;

  function end(outcome: Outcome): void {
    turn?.end(outcome);
    turn = undefined;
  }

  async function onward(to: URL, by: number, signal: AbortSignal): Promise<Problem | undefined> {
    // Given back before the next is waited for, or two hosts that redirect to each other could wait for each other.
    end({});
    // A host that sends a second try on to itself is still asked the second time, not the third.
    const retry = asker.retry === true && to.origin !== new URL(asked).origin;
    asked = to.href;
    const next = await laneOf(to.href).enter({ ...asker, signal, sendBy: by, answerBy: by, retry });
    if (next instanceof Problem) return next;
    turn = next;
    return undefined;
  }

  return { onward, answered: () => turn?.answered(), end };
}
