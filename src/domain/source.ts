import type { Problem } from './problems.ts';
import type { DomainName } from './domain-name.ts';
import type { Registration } from './registration.ts';
import type { Verdict } from './verdict.ts';

/** Looks up the names under some TLDs. */
export interface Registry {
  readonly id: string;
  /** Looks up each query; one promise per query, in order. None rejects: a failure is an answer. No query waits for another. */
  lookup(queries: readonly LookupQuery[], request: LookupRequest): readonly Promise<Answer>[];
  /** One function for all registries that share a cache, so that one read finds the names of all. */
  readonly readCache: ReadCache;
}

/** Reads what is stored for names, and queries no registry. Never rejects. */
export type ReadCache = (
  queries: readonly LookupQuery[],
) => Promise<ReadonlyMap<DomainName, CacheRead>>;

/** What is stored for a name: an answer that is good enough, or what a lookup has to know otherwise. */
export type CacheRead =
  { readonly answer: Answer } | Pick<LookupQuery, 'cached' | 'stale' | 'completedBefore'>;

/** Looks up one name at a time, without a cache. Wrappers add one behaviour each and implement the same interface. */
export interface Source {
  readonly id: string;
  /** Never rejects: a failure is an answer. */
  lookup(query: LookupQuery, request: AttemptRequest): Promise<Answer>;
}

/** What is wanted of one name. */
export interface LookupQuery {
  readonly name: DomainName;
  /** The oldest stored answer that suffices, in seconds; without it, what is fresh by default. */
  readonly maxAge?: number | undefined;
  /** Another field of the operation sets no limit: the answer must also be fresh by default. */
  readonly requireDefaultFreshness?: boolean;
  /** A stored answer that was learned since then suffices all the same; epoch ms. */
  readonly notBefore?: number | undefined;
  readonly detail: Detail;
  /** What the cache holds for the name, however old: a "not found" may contradict it. */
  readonly cached?: CachedAnswer;
  /** The same as an answer, for a registry that fails. */
  readonly stale?: Answer;
  /** How many lookups had completed when the cache was read: one that has completed since may have stored a better answer. */
  readonly completedBefore?: number;
}

/** A stored verdict. */
export interface CachedAnswer {
  readonly verdict: Verdict;
  /** When the registry returned it; epoch ms. */
  readonly checkedAt: number;
  /** When the registration ends; epoch ms. */
  readonly expiresAt?: number;
}

/** How much is wanted, from the least to the most; the record is the registration with its contacts and the registry's own object. */
export const details = ['verdict', 'registration', 'record'] as const;
export type Detail = (typeof details)[number];

/** On whose behalf names are looked up, how urgent it is, and until when it may be queued. Aborting the signal removes it from the queue. */
export interface LookupRequest {
  readonly signal: AbortSignal;
  /** When it must have been sent; epoch ms. */
  readonly queueDeadline: number;
  /** Lookups of different accounts take turns. */
  readonly account: string;
  readonly priority: Priority;
  readonly observer?: LookupObserver;
}

/** The account of the gateway's own canary lookups. */
export const canaryAccount = 'canary';

/** From the most urgent to the least. */
export const priorities = ['single', 'search', 'bulk'] as const;
export type Priority = (typeof priorities)[number];

/** Is notified of the progress of lookups. */
interface LookupObserver {
  /** Called when a lookup is sent, which cannot be undone. `joined`: it is sent for an earlier caller that still waits. */
  onSent(name: DomainName, joined?: boolean): void;
  /** Called when a caller joins a lookup that another caller began, sent or not. */
  onJoined(name: DomainName): void;
}

/** What the wrappers of a source pass to each other for one attempt. */
export interface AttemptRequest extends LookupRequest {
  /** When a response is of no use any more, in epoch ms; without it, the source's own time limit counts, from the sending. */
  readonly responseDeadline?: number;
  /** Counts against the retry budget of the host. */
  readonly retry?: boolean;
  /** Without it, redirects are followed at once. */
  readonly beforeRedirect?: BeforeRedirect;
  /** Called when a host has sent a good response, before it is read. Returns whether another request was sent because of it. */
  readonly onAnswered?: () => boolean;
}

/** Resolves when a redirect to `to` may be followed, or by `deadline` (epoch ms) with the problem that prevents it. Never rejects. */
export type BeforeRedirect = (
  to: URL,
  deadline: number,
  signal: AbortSignal,
) => Promise<Problem | undefined>;

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

/** A verdict with its evidence, or the problem that prevented one. */
export interface Answer {
  readonly result: LookupResult;
  readonly provenance: Provenance;
}

export interface LookupResult {
  readonly verdict: Verdict;
  /** Parses what was sent when it is first needed, and once. */
  readonly registration?: () => Registration;
  /** When the registration ends, in epoch ms; absent where the registry does not say. */
  readonly expiresAt?: number;
  /** Present exactly when the verdict is UNKNOWN. */
  readonly problem?: Problem;
}

/** Where a result comes from, and when. */
export interface Provenance {
  /** Base URL of the server that was queried. */
  readonly endpoint?: string;
  /** When the registry returned it; epoch ms. */
  readonly checkedAt?: number;
  /** When it stops being fresh by default, in epoch ms. Present where it is stored. */
  readonly freshUntil?: number;
  readonly cached: boolean;
  readonly stale: boolean;
  /** When the query was sent to the registry; epoch ms. */
  readonly sentAt?: number;
  readonly evidence?: Evidence;
  readonly attempts: readonly Attempt[];
  /** The verdict rests on absence: the server said so in RDAP's terms, or sent a 404 with no body. */
  readonly notFoundEvidence?: 'explicit' | 'empty';
  /** Another host, or a cache on the way, sent the response: it says nothing of what the registry itself finds now. */
  readonly fromOtherHost?: boolean;
  /** How the lookup failed, where that is due to the host and another attempt may help. */
  readonly failure?: FailureKind;
}

/**
 * `busy`: the host limits requests. `down`: it could not be reached, or a gateway before it said so. `timeout`: no response in time.
 * `server_error`: it is up, but failed for this name.
 */
export type FailureKind = 'busy' | 'down' | 'timeout' | 'server_error';

/** How a host did with a request; empty where it did well. */
export interface RequestOutcome {
  readonly failure?: FailureKind | undefined;
  readonly problem?: Problem | undefined;
}

/** Returns an answer that is not from the cache. */
export function createAnswer(result: LookupResult, provenance: Partial<Provenance> = {}): Answer {
  return { result, provenance: { cached: false, stale: false, attempts: [], ...provenance } };
}

/** Returns the answer of a lookup without a verdict. */
export function failedAnswer(problem: Problem, provenance: Partial<Provenance> = {}): Answer {
  return createAnswer({ verdict: 'UNKNOWN', problem }, provenance);
}

/** Returns the answer with changes to its provenance. */
export function withProvenance(
  { result, provenance }: Answer,
  changes: Partial<Provenance>,
): Answer {
  return { result, provenance: { ...provenance, ...changes } };
}
