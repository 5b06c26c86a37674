import type { Answer, FailureKind, NameData, SourceKind, StoredAnswer } from './answer.ts';
import type { Problem } from './problems.ts';
import type { SplitName } from './names/domain-name.ts';
import type { ObjectRef } from './object-ref.ts';
import type { Verdict } from './verdict.ts';

/** A source of the names of a TLD. */
export interface SourceInfo {
  readonly kind: SourceKind;
  /** URL of its server; null for the DNS, whose servers depend on the zone. */
  readonly endpoint: string | null;
  /** Whether it can prove that a name is available, with the other sources of the TLD. */
  readonly provesAvailable: boolean;
}

/**
 * Looks up one name or object at a time. Each wrapper adds one behaviour and implements the same
 * interface.
 */
export interface Source<Q = NameQuery, T = NameData> {
  readonly id: string;
  /** Never rejects: a failure is an answer. */
  lookup(query: Q, request: AttemptRequest): Promise<Answer<T>>;
}

export interface CachedSource<Q = NameQuery, T = NameData> extends Source<Q, T> {
  /** Shared by all sources with the same cache, so that one read covers all their names. */
  readonly readCache: ReadCache<Q, T>;
}

/** Looks up the names under some TLDs. */
export interface Registry extends CachedSource {
  /** The sources of its names, in order of preference. */
  readonly sources: readonly SourceInfo[];
}

/** Reads the stored answers to queries, by key, without querying a source. Never rejects. */
export type ReadCache<Q = NameQuery, T = NameData> = (
  queries: readonly Q[],
) => Promise<ReadonlyMap<string, CacheRead<T>>>;

/** The stored answer to a query if it satisfies the query, else what its lookup needs to know. */
export type CacheRead<T = NameData> =
  | { readonly answer: Answer<T> }
  | ({ readonly answer?: undefined } & Pick<
      BaseQuery,
      'cached' | 'completedBefore' | 'storedVerdict'
    >);

/** What all lookups have in common. */
interface BaseQuery {
  /** Maximum age of a stored answer, in seconds; default freshness applies without it. */
  readonly maxAge?: number | undefined;
  /**
   * Another field of the operation sets no `maxAge`, so the answer must also be fresh by default.
   */
  readonly requireDefaultFreshness?: boolean;
  /** A stored answer since then is accepted, whatever its age; epoch ms. */
  readonly notBefore?: number | undefined;
  readonly detail: Detail;
  /**
   * The languages in which the object is wanted, as in `Accept-Language` (RFC 9110 section 12.5.4).
   * Such an object is neither stored nor read from the cache.
   */
  readonly language?: string | undefined;
  /** `ALL` by default. */
  readonly confirm?: Confirm;
  /**
   * The stored answer of any age. A "not found" may contradict it, and it is returned if the source
   * fails.
   */
  readonly cached?: StoredAnswer;
  /**
   * Number of lookups completed when the cache was read: a later one may have stored a better
   * answer.
   */
  readonly completedBefore?: number;
  /**
   * The verdict that was stored then, also of an answer too old to be `cached`; null if there was
   * none, undefined if that is not known.
   */
  readonly storedVerdict?: Verdict | null | undefined;
}

export interface NameQuery extends BaseQuery {
  readonly name: SplitName;
}

/** The lookup of another RDAP object. */
export interface ObjectQuery extends BaseQuery {
  readonly ref: ObjectRef;
}

export type Query = NameQuery | ObjectQuery;

/** Returns what identifies the subject of a query in caches, queues and meters. */
export function keyOf(query: Query): string {
  return 'name' in query ? query.name.ascii : query.ref.key;
}

/**
 * Levels of detail, in ascending order. A record is the registration with contacts and, from RDAP,
 * the registry's domain object. `rdap`: only a record from RDAP counts.
 */
export const details = ['verdict', 'registration', 'record', 'rdap'] as const;
export type Detail = (typeof details)[number];

/** Returns whether a level includes the contacts and the registry's own object. */
export function includesRecord(detail: Detail): boolean {
  return detail === 'record' || detail === 'rdap';
}

/**
 * Which verdicts the registry must confirm. With `AVAILABLE`, a delegation by the parent zone proves
 * that a name is registered.
 */
export const confirms = ['ALL', 'AVAILABLE'] as const;
export type Confirm = (typeof confirms)[number];

/** The values of `confirm` outside GraphQL. */
export const confirmNames = confirms.map((confirm) => confirm.toLowerCase());

/** Returns the value with a name outside GraphQL; undefined without one. */
export function confirmNamed(name: unknown): Confirm | undefined {
  return confirms.find((confirm) => confirm.toLowerCase() === name);
}

/**
 * The account, priority and queue deadline of a lookup. Aborting the signal removes it from the
 * queue.
 */
export interface LookupRequest {
  readonly signal: AbortSignal;
  /** Latest time of sending; epoch ms. */
  readonly queueDeadline: number;
  /** Lookups of different accounts take turns. */
  readonly account: string;
  readonly priority: Priority;
  readonly observer?: LookupObserver;
  /**
   * Calls a listener when callers that join or leave a shared lookup change its urgency. Returns a
   * function that removes the listener.
   */
  readonly onUrgency?: (listener: (urgency: Urgency) => void) => () => void;
}

/** How urgent a lookup is. */
export type Urgency = Pick<LookupRequest, 'priority' | 'queueDeadline'>;

/** The account of the gateway's own lookups. */
export const canaryAccount = 'canary';

/** The account of looks at watched names. */
export const watchAccount = 'watch';

/**
 * Returns the request of a lookup that checks a server, with high priority and under its own account:
 * it must not use a caller's fair share, and must not be cancelled when a caller disconnects.
 */
export function checkRequest(queueDeadline: number): LookupRequest {
  const { signal } = new AbortController();
  return { signal, account: canaryAccount, priority: 'single', queueDeadline };
}

/** Priorities, from high to low. `watch`: nobody waits, and only a share of the limits may be used. */
export const priorities = ['single', 'search', 'bulk', 'watch'] as const;
export type Priority = (typeof priorities)[number];

/** Receives the progress of lookups, by `keyOf` their queries. */
export interface LookupObserver {
  /**
   * Called when a lookup is sent and can no longer be cancelled. `joined`: an earlier caller that
   * still waits started it.
   */
  onSent(key: string, joined?: boolean): void;
  /** Called when a caller joins another caller's lookup, sent or not. */
  onJoined(key: string): void;
}

/** One attempt of a lookup, as passed between the wrappers of a source. */
export interface AttemptRequest extends LookupRequest {
  /**
   * Latest time of the response, in epoch ms; by default, the source's time limit, counted from
   * sending.
   */
  readonly responseDeadline?: number;
  /** The time limit of the DNS, counted from sending; by default, that of its source. */
  readonly timeLimitMs?: number;
  /** Counts against the retry budget of the host. */
  readonly retry?: boolean;
  /** The absence of a delegation is used as evidence, so two name servers must report it. */
  readonly confirmAbsence?: boolean;
  /** The DNS reports the absence of the name, so the registry will probably not find it. */
  readonly isProbablyFree?: boolean;
  /** The zone must also be known to delegate other names, because nothing else is evidence. */
  readonly verifyZone?: boolean;
  /** Follows redirects, immediately by default. */
  readonly beforeRedirect?: BeforeRedirect;
  /**
   * Called when a host has responded successfully, before the response is parsed. Returns whether
   * that caused another request to be sent.
   */
  readonly onAnswered?: () => boolean;
}

/**
 * Resolves when a redirect to `to` may be followed, or by `deadline` (epoch ms) with the problem
 * that prevents it. Never rejects.
 */
export type BeforeRedirect = (
  to: URL,
  deadline: number,
  signal: AbortSignal,
) => Promise<Problem | undefined>;

/** The outcome of a request to a host; empty if it succeeded. */
export interface RequestOutcome {
  readonly failure?: FailureKind | undefined;
  readonly problem?: Problem | undefined;
}
