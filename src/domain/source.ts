import type { Problem } from './problems.ts';
import type { DomainName } from './domain-name.ts';
import type { ObjectRef } from './object-ref.ts';
import type { Registration } from './registration.ts';
import type { Verdict } from './verdict.ts';

/** The protocols in which names are looked up. */
export const sourceKinds = ['rdap', 'das', 'whois', 'dns'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/**
 * What the servers of the parent zone say about a name. `delegated`: they delegate it. `absent`: it
 * has no records there. `has_records`: it has records but no delegation, in a zone that returns
 * NXDOMAIN for unregistered names.
 */
export type Delegation = 'delegated' | 'absent' | 'has_records';

/** A source of the names of a TLD. */
export interface SourceInfo {
  readonly kind: SourceKind;
  /** URL of its server; null for the DNS, whose servers depend on the zone. */
  readonly endpoint: string | null;
  /** Whether it can prove that a name is available, with the other sources of the TLD. */
  readonly provesAvailable: boolean;
}

/** Looks up the names under some TLDs. */
export interface Registry {
  readonly id: string;
  /** The sources of its names, in order of preference. */
  readonly sources: readonly SourceInfo[];
  /**
   * Looks up each query; returns one promise per query, in order. None rejects: a failure is an
   * answer. No query waits for another.
   */
  lookup(queries: readonly LookupQuery[], request: LookupRequest): readonly Promise<Answer>[];
  /** Shared by all registries with the same cache, so that one read covers all their names. */
  readonly readCache: ReadCache;
}

/** Reads the stored answers of names without querying a registry. Never rejects. */
export type ReadCache = (
  queries: readonly LookupQuery[],
) => Promise<ReadonlyMap<DomainName, CacheRead>>;

/**
 * The stored answer of a name if it satisfies the query, else what the lookup needs from the cache.
 */
export type CacheRead =
  { readonly answer: Answer } | Pick<LookupQuery, 'cached' | 'stale' | 'completedBefore'>;

/**
 * Looks up one name at a time, without a cache. Each wrapper adds one behaviour and implements the
 * same interface.
 */
export interface Source {
  readonly id: string;
  /** Never rejects: a failure is an answer. */
  lookup(query: LookupQuery, request: AttemptRequest): Promise<Answer>;
}

/** The lookup of one name, or of another RDAP object. */
export interface LookupQuery {
  /** The key of the object, if it is not a domain. */
  readonly name: DomainName;
  /** The object, if it is not a domain. */
  readonly ref?: ObjectRef;
  /** Maximum age of a stored answer, in seconds; default freshness applies without it. */
  readonly maxAge?: number | undefined;
  /**
   * Another field of the operation sets no `maxAge`, so the answer must also be fresh by default.
   */
  readonly requireDefaultFreshness?: boolean;
  /** A stored answer since then is accepted, whatever its age; epoch ms. */
  readonly notBefore?: number | undefined;
  readonly detail: Detail;
  /** `ALL` by default. */
  readonly confirm?: Confirm;
  /** The cached answer of any age: a "not found" may contradict it. */
  readonly cached?: CachedAnswer;
  /** The answer to return if the registry fails. */
  readonly stale?: Answer;
  /**
   * Number of lookups completed when the cache was read: a later one may have stored a better
   * answer.
   */
  readonly completedBefore?: number;
}

/** A stored verdict. */
export interface CachedAnswer {
  readonly verdict: Verdict;
  /** URL of the server, as in `Provenance`. */
  readonly endpoint: string;
  /** When the registry returned it; epoch ms. */
  readonly checkedAt: number;
  /** When the registration ends; epoch ms. */
  readonly expiresAt?: number;
}

/**
 * Levels of detail, in ascending order. A record is the registration with contacts and the
 * registry's domain object.
 */
export const details = ['verdict', 'registration', 'record'] as const;
export type Detail = (typeof details)[number];

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
}

/** The account of canary lookups. */
export const canaryAccount = 'canary';

/** Priorities, from high to low. */
export const priorities = ['single', 'search', 'bulk'] as const;
export type Priority = (typeof priorities)[number];

/** Receives the progress of lookups. */
interface LookupObserver {
  /**
   * Called when a lookup is sent and can no longer be cancelled. `joined`: an earlier caller that
   * still waits started it.
   */
  onSent(name: DomainName, joined?: boolean): void;
  /** Called when a caller joins another caller's lookup, sent or not. */
  onJoined(name: DomainName): void;
}

/** One attempt of a lookup, as passed between the wrappers of a source. */
export interface AttemptRequest extends LookupRequest {
  /**
   * Latest time of the response, in epoch ms; by default, the source's time limit, counted from
   * sending.
   */
  readonly responseDeadline?: number;
  /** Counts against the retry budget of the host. */
  readonly retry?: boolean;
  /** The absence of a delegation is used as evidence, so two name servers must report it. */
  readonly confirmAbsence?: boolean;
  /** The zone must also be known to delegate other names, because nothing else is evidence. */
  readonly verifyZone?: boolean;
  /** Without it, redirects are followed immediately. */
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

/** What a verdict is based on. */
export interface Evidence {
  /** Absent without an RDAP response. */
  readonly httpStatus?: number;
  /** Lower case, without parameters; empty if the RDAP response has none, absent without one. */
  readonly mediaType?: string;
  /** A "not found" from a server that has never found any name. */
  readonly unproven: boolean;
  /** The text of a 404 that is not recognized as "not found". */
  readonly text?: string;
  /** Identifies the pattern that the reply of a WHOIS server matches. */
  readonly pattern?: string;
  /** When both controls of the server last passed; epoch ms. */
  readonly controlsPassedAt?: number;
  /** The queried sources, in the order of their answers. */
  readonly sources?: readonly SourceReport[];
}

/** What one source answered. */
export interface SourceReport {
  readonly source: SourceKind;
  /** A verdict in lower case, a `Delegation`, or the code of the problem that prevented both. */
  readonly answer: string;
  readonly pattern?: string;
  readonly controlsPassedAt?: number;
}

/** A timed step of a lookup. */
export interface Attempt {
  /** By default `rdap`. */
  readonly source?: SourceKind;
  /**
   * `queue`: waiting in the host queue; `exchange`: querying the registry, including redirects and
   * their queues; `canary`: the canary check.
   */
  readonly phase: 'queue' | 'exchange' | 'canary';
  readonly ms: number;
  /** The HTTP status or the problem code. */
  readonly code: string;
}

/** A verdict with its evidence, or the problem that prevented one. */
export interface Answer {
  readonly result: LookupResult;
  readonly provenance: Provenance;
}

export interface LookupResult {
  readonly verdict: Verdict;
  /** Parses the response on first use. */
  readonly registration?: () => Registration;
  /** Length of the record, in characters; absent without one. */
  readonly characters?: number;
  /** End of the registration, in epoch ms; absent if the registry omits it. */
  readonly expiresAt?: number;
  /** Present if and only if the verdict is UNKNOWN. */
  readonly problem?: Problem;
}

/** Where and when a result was obtained. */
export interface Provenance {
  /**
   * URL of the server that was queried: an RDAP base URL, `das://host:port/`, `whois://host:port/`,
   * or `dns://zone/` for the servers of a parent zone.
   */
  readonly endpoint?: string;
  /** When the registry returned it; epoch ms. */
  readonly checkedAt?: number;
  /** End of the default freshness, in epoch ms. Present if the answer is stored. */
  readonly freshUntil?: number;
  readonly cached: boolean;
  readonly stale: boolean;
  /** When the query was sent to the registry; epoch ms. */
  readonly sentAt?: number;
  readonly evidence?: Evidence;
  readonly attempts: readonly Attempt[];
  /** URL of the RDAP server that returned the registration, if the verdict is that of the DNS. */
  readonly recordEndpoint?: string;
  /** What the DNS says about the name. Absent if it was not queried, or gave no usable answer. */
  readonly delegation?: Delegation;
  /** The name cannot be registered, but it is unknown whether that is because it is registered. */
  readonly mayBeRegistered?: boolean;
  /** The verdict is based on a "not found": an RDAP error, or a 404 with an empty body. */
  readonly notFoundEvidence?: 'explicit' | 'empty';
  /**
   * Another host or an intermediate cache sent the response, so it does not show what the registry
   * finds now.
   */
  readonly fromOtherHost?: boolean;
  /**
   * Identifies the lines of an "available" that is a text. They are the same for all unregistered
   * names.
   */
  readonly replyForm?: string;
  /** The kind of failure, if it is due to the host and a retry may help. */
  readonly failure?: FailureKind;
}

/**
 * `busy`: the host limits requests. `down`: it could not be reached, or its reverse proxy reports
 * that. `timeout`: no response in time. `server_error`: it is up, but failed for this name.
 */
export type FailureKind = 'busy' | 'down' | 'timeout' | 'server_error';

/** The outcome of a request to a host; empty if it succeeded. */
export interface RequestOutcome {
  readonly failure?: FailureKind | undefined;
  readonly problem?: Problem | undefined;
}

/** Returns the protocol of a server by the scheme of its URL. */
export function sourceKindOf(endpoint: string): SourceKind {
  const scheme = endpoint.slice(0, endpoint.indexOf(':'));
  return sourceKinds.find((kind) => kind === scheme) ?? 'rdap';
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
