import type { Problem } from '../problems.ts';
import type { DomainName } from './domain-name.ts';
import type { Registration } from './registration.ts';
import type { Verdict } from './verdict.ts';

/** Somebody who answers for the names under some TLDs. */
export interface Registry {
  readonly id: string;
  /** One promise per question, in the order asked. None rejects: a failure is an answer. No name waits for another. */
  ask(questions: readonly Question[], asker: Asker): readonly Promise<Answer>[];
}

export interface Question {
  readonly name: DomainName;
  /** The oldest stored answer that will do, in seconds; without it, what is fresh by default. */
  readonly maxAge?: number | undefined;
  /** Somebody who set no limit asks too: the answer must also be fresh by default. */
  readonly freshByDefault?: boolean;
  /** The contacts and the registry's own object are wanted too. */
  readonly record: boolean;
}

/** Who waits, until when the question must be sent, and how urgent it is. A question whose signal is aborted leaves its queue. */
export interface Asker {
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly sendBy: number;
  /** When an answer is no use any more, in milliseconds since the epoch; without it, the registry's own time limit from the sending. */
  readonly answerBy?: number;
  /** Called when the question leaves for the registry: from then on nobody can take it back. */
  readonly onSent?: () => void;
  /** Lookups of one account take turns with those of the others. */
  readonly account: string;
  readonly kind: AskerKind;
}

/** From the most urgent to the least. */
export const askerKinds = ['single', 'search', 'bulk'] as const;
export type AskerKind = (typeof askerKinds)[number];

/** A verdict with its proof, or the problem that stood in its way. */
export interface Answer {
  readonly verdict: Verdict;
  readonly registration?: Registration;
  /** Present exactly when the verdict is UNKNOWN. */
  readonly problem?: Problem;
  /** Base URL of the server that was asked. */
  readonly endpoint?: string;
  /** When the registry said so, in milliseconds since the epoch. */
  readonly checkedAt?: number;
  readonly cached: boolean;
  readonly stale: boolean;
  /** When the question left for the registry, in milliseconds since the epoch. */
  readonly sentAt?: number;
  /** How the host failed, where it is the host's fault and asking again may help: told to come later, broken, or silent. */
  readonly failure?: 'busy' | 'down' | 'timeout';
}

/** The answer of somebody who could not find out. */
export function unanswered(problem: Problem): Answer {
  return { verdict: 'UNKNOWN', problem, cached: false, stale: false };
}

/** One question to one registry. */
export async function askOne(registry: Registry, question: Question, asker: Asker): Promise<Answer> {
  const [answer] = registry.ask([question], asker);
  if (!answer) throw new Error(`${registry.id} left a question without an answer`);
  return answer;
}
