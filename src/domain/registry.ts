import type { Problem } from '../problems.ts';
import type { DomainName } from './domain-name.ts';
import type { Registration } from './registration.ts';
import type { Verdict } from './verdict.ts';

/** Somebody who answers for the names under some TLDs. */
export interface Registry {
  readonly id: string;
  /** One promise per question, in the order asked. None rejects: a failure is an answer. No name waits for another. */
  ask(questions: readonly Question[], asker: Asker): readonly Promise<Answer>[];
  /** One function for all registries that share a cache, so that one read finds the names of all. */
  readonly readCache: ReadCache;
}

/** Reads what is stored for names, and queries no registry. Never rejects. */
export type ReadCache = (questions: readonly Question[]) => Promise<ReadonlyMap<DomainName, CacheRead>>;

/** What is stored for a name: an answer that is good enough, or what a lookup has to know otherwise. */
export type CacheRead = { readonly answer: Answer } | Pick<Question, 'held' | 'stale' | 'completedBefore'>;

/** Who is asked in the end, one question at a time, and remembers nothing. */
export interface Source {
  readonly id: string;
  /** Never rejects: a failure is an answer. */
  ask(question: Question, asker: Asker): Promise<Answer>;
}

export interface Question {
  readonly name: DomainName;
  /** The oldest stored answer that will do, in seconds; without it, what is fresh by default. */
  readonly maxAge?: number | undefined;
  /** Somebody who set no limit asks too: the answer must also be fresh by default. */
  readonly freshByDefault?: boolean;
  /** A stored answer that was learned since then will do all the same; milliseconds since the epoch. */
  readonly goodSince?: number | undefined;
  readonly part: Part;
  /** What the cache holds for the name, however old: a "not found" may contradict it. */
  readonly held?: HeldAnswer;
  /** The same as an answer, for a registry that fails. */
  readonly stale?: Answer;
  /** How many lookups had completed when the cache was read: one that has completed since may have stored a better answer. */
  readonly completedBefore?: number;
}

/** A stored verdict. */
export interface HeldAnswer {
  readonly verdict: Verdict;
  /** When the registry returned it; epoch ms. */
  readonly checkedAt: number;
  /** When the registration ends; epoch ms. */
  readonly expiresAt?: number;
}

/** How much of an answer is wanted, from the least to the most; the record is the registration with its contacts and the registry's own object. */
export const parts = ['verdict', 'registration', 'record'] as const;
export type Part = (typeof parts)[number];

/** Who waits, until when the question must be sent, and how urgent it is. A question whose signal is aborted leaves its queue. */
export interface Asker {
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly sendBy: number;
  /** When an answer is no use any more, in milliseconds since the epoch; without it, the registry's own time limit from the sending. */
  readonly answerBy?: number;
  /** A second try: it counts against what a host may be asked twice. */
  readonly retry?: boolean;
  /** Without it, the question follows every redirect at once. */
  readonly onward?: Onward;
  /** Called when a host has answered as it should, before the answer is read. True when somebody who waited may now send. */
  readonly onAnswered?: () => boolean;
  /** Called when the question is sent to the registry, which cannot be undone. `joined`: it is sent for an earlier caller that still waits. */
  readonly onSent?: (name: DomainName, joined?: boolean) => void;
  /** Called when the question joins a lookup that another caller began, sent or not. */
  readonly onJoined?: (name: DomainName) => void;
  /** Lookups of one account take turns with those of the others. */
  readonly account: string;
  readonly kind: AskerKind;
}

/** The account of the gateway's own canary lookups. */
export const canaryAccount = 'canary';

/**
 * Leave to take a question on to where a server redirects it: settles when it may go there, by then, or with the problem that stands in its
 * way. Never rejects.
 */
export type Onward = (to: URL, by: number, signal: AbortSignal) => Promise<Problem | undefined>;

/** From the most urgent to the least. */
export const askerKinds = ['single', 'search', 'bulk'] as const;
export type AskerKind = (typeof askerKinds)[number];

/** What a verdict rests on. */
export interface Evidence {
  readonly httpStatus: number;
  /** Lower case, without parameters; empty when absent. */
  readonly mediaType: string;
  /** A "not found" of a server that was never seen to find anything. */
  readonly unproven: boolean;
  /** The text of a 404 that is not recognized as "not found". */
  readonly text?: string;
}

/** One step on the way to an answer. */
export interface Attempt {
  /** `queue`: waiting for the host's turn. `exchange`: asking the registry, redirects and their turns included. `canary`: making sure that it finds what it must hold. */
  readonly phase: 'queue' | 'exchange' | 'canary';
  readonly ms: number;
  /** The HTTP status, or the problem's code. */
  readonly code: string;
}

/** A verdict with its proof, or the problem that stood in its way. */
export interface Answer {
  readonly verdict: Verdict;
  /** Read of what was sent when somebody wants to know it, and once. */
  readonly registration?: () => Registration;
  /** When the registration ends, in milliseconds since the epoch; absent where nobody said. */
  readonly expiresAt?: number;
  /** Present exactly when the verdict is UNKNOWN. */
  readonly problem?: Problem;
  /** Base URL of the server that was asked. */
  readonly endpoint?: string;
  /** When the registry said so, in milliseconds since the epoch. */
  readonly checkedAt?: number;
  /** When it stops being fresh by default, in milliseconds since the epoch. Present where it is kept. */
  readonly freshUntil?: number;
  readonly cached: boolean;
  readonly stale: boolean;
  /** When the question left for the registry, in milliseconds since the epoch. */
  readonly sentAt?: number;
  readonly evidence?: Evidence;
  readonly attempts?: readonly Attempt[];
  /** The verdict rests on absence: the server said so in RDAP's terms, or sent a 404 with no body. */
  readonly absence?: 'stated' | 'silent';
  /** Another host, or a cache on the way, gave this answer: it says nothing of what the registry itself finds now. */
  readonly foreign?: boolean;
  /** How the lookup failed, where that is due to the host and another attempt may help. */
  readonly failure?: Failure;
}

/**
 * `busy`: the host limits requests. `down`: it could not be reached, or a gateway before it said so. `timeout`: no response in time.
 * `server_error`: it is up, but failed for this name.
 */
export type Failure = 'busy' | 'down' | 'timeout' | 'server_error';

/** What of an answer says how its host does; nothing, where it does well. */
export type Outcome = Pick<Answer, 'failure' | 'problem'>;

/** The answer of somebody who could not find out. */
export function unanswered(problem: Problem): Answer {
  return { verdict: 'UNKNOWN', problem, cached: false, stale: false };
}
