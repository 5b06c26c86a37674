import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import {
  unanswered,
  type Answer,
  type Asker,
  type Attempt,
  type Onward,
  type Outcome,
  type Question,
  type Source,
} from '../domain/registry.ts';
import { Problem } from '../problems.ts';
import type { Lane, Turn } from './lane.ts';
import type { Overlooked } from './overlooked.ts';

export interface PoliteOptions {
  readonly laneOf: (url: string) => Lane;
  readonly clock: Clock;
  readonly overlooked: Overlooked;
}

/** A registry whose questions take turns in the lane of its host and, where it redirects, in the lane of each host that they are sent on to. */
export function politeRegistry(server: Source, lane: Lane, { laneOf, clock, overlooked }: PoliteOptions): Source {
  async function ask(question: Question, asker: Asker): Promise<Answer> {
    const enteredAt = clock.now();
    const entered = lane.enter(question.name, asker);
    const turn = entered instanceof Promise ? await entered : entered;
    const queue = (code: string): Attempt => ({ phase: 'queue', ms: clock.now() - enteredAt, code });
    if (turn instanceof Problem) return { ...unanswered(turn), attempts: [queue(turn.code)] };
    const waited = queue('sent');
    const journey = begin(turn, server.id, question.name, asker, laneOf);
    let answer: Answer;
    try {
      answer = await server.ask(question, { ...asker, onward: journey.onward, onAnswered: journey.answered });
    } catch (error) {
      // A turn is given back whatever happens, and no question goes without an answer.
      overlooked(server.id, error);
      answer = unanswered(new Problem('registry_error', 'The answer could not be read.', { cause: error }));
    }
    journey.end(answer);
    return { ...answer, attempts: [waited, ...(answer.attempts ?? [])] };
  }

  return { id: server.id, ask };
}

/** A question's way from host to host, with a turn at each. What came of it in the end is the last one's. */
interface Journey {
  readonly onward: Onward;
  answered(): boolean;
  end(outcome: Outcome): void;
}

function begin(first: Turn, url: string, name: DomainName, asker: Asker, laneOf: (url: string) => Lane): Journey {
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
    const next = await laneOf(to.href).enter(name, { ...asker, signal, sendBy: by, answerBy: by, retry });
    if (next instanceof Problem) return next;
    turn = next;
    return undefined;
  }

  return { onward, answered: () => turn?.answered() === true, end };
}
