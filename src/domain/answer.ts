import type { Problem } from './problems.ts';
import type { JsonObject, Registration } from './registration.ts';
import type { Delegation, Verdict } from './verdict.ts';

/** The protocols in which names are looked up. */
export const sourceKinds = ['rdap', 'das', 'whois', 'dns'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** What a source answered, or why it did not, and where and when. Absence is data (null). */
export interface Answer<T = NameData> {
  /** Undefined if the lookup failed. */
  readonly data: T | undefined;
  /** Why it failed; undefined if there is data. */
  readonly problem: Problem | undefined;
  readonly provenance: Provenance;
}

/** What is known about a name. */
export interface NameData {
  readonly verdict: Verdict;
  /** Parses the response on first use. */
  readonly registration?: () => Registration;
  /**
   * Returns the domain object in JSON as the registry sent it; absent if `registration` is not parsed
   * from it alone.
   */
  readonly objectText?: () => string;
  /** Length of the record, in characters; absent without one. */
  readonly characters?: number;
  /** End of the registration, in epoch ms; absent if the registry omits it. */
  readonly expiresAt?: number;
}

/** Another RDAP object than a domain, or the record of a registrar. */
export interface RdapRecord {
  /** As the server sent it; undefined if a stale answer has lost it. */
  readonly json: JsonObject | undefined;
  /** Length of the record, in characters. */
  readonly characters: number;
}

/**
 * An answer as it is stored. An object other than a domain is stored like a name: as REGISTERED if
 * its server has it, and else as AVAILABLE.
 */
export interface StoredAnswer extends NameData {
  /** The name, or the key of another object. */
  readonly name: string;
  /** URL of the server, as in `Provenance`. */
  readonly endpoint: string;
  /** When the server responded, in epoch ms. */
  readonly checkedAt: number;
  /**
   * False if `registration` lacks the contacts and the raw RDAP object, because they were not
   * stored or have expired.
   */
  readonly isComplete: boolean;
  readonly evidence?: Evidence;
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
  /** URL of the server that returned the registration, if the verdict is that of the DNS. */
  readonly recordEndpoint?: string;
  /** What the DNS says about the name. Absent if it was not queried, or gave no usable answer. */
  readonly delegation?: Delegation;
  /** The name cannot be registered, but it is unknown whether that is because it is registered. */
  readonly mayBeRegistered?: boolean;
  /** The verdict is based on a "not found": an RDAP error, a free name, or an empty 404. */
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
  /** The 404 says that the name is sold in an Expiry Access Period. */
  readonly isInAccessPeriod?: boolean;
  /** Identifies the pattern that the reply of a WHOIS server matches. */
  readonly pattern?: string;
  /** When the controls of the server that count for this answer last passed; epoch ms. */
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
  /** URL of the server, as in `Provenance`. */
  readonly endpoint?: string;
  /** When the query was sent, and when it ended; epoch ms. Absent if it was not sent. */
  readonly askedAt?: number;
  readonly answeredAt?: number;
  /** Absent without an RDAP response. */
  readonly httpStatus?: number;
  /** Why there is no answer, in one sentence. It is not stored. */
  readonly detail?: string;
}

/** A timed step of a lookup. */
export interface Attempt {
  /** Defaults to `rdap`. */
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

/** Returns the protocol of a server by the scheme of its URL. */
export function sourceKindOf(endpoint: string): SourceKind {
  const scheme = endpoint.slice(0, endpoint.indexOf(':'));
  return sourceKinds.find((kind) => kind === scheme) ?? 'rdap';
}

/** Returns whether a server is queried in RDAP. */
export function isFromRdap(endpoint: string | undefined): endpoint is string {
  return endpoint !== undefined && sourceKindOf(endpoint) === 'rdap';
}

/** Returns an answer that is not from the cache. */
export function createAnswer<const T>(data: T, provenance: Partial<Provenance> = {}): Answer<T> {
  return answerOf(data, undefined, provenance);
}

export function failedAnswer(
  problem: Problem,
  provenance: Partial<Provenance> = {},
): Answer<never> {
  return answerOf<never>(undefined, problem, provenance);
}

/** Returns the answer with data, if there is any, or with the problem. */
export function answerOf<T>(
  data: T | undefined,
  problem: Problem | undefined,
  provenance: Partial<Provenance>,
): Answer<T> {
  return { data, problem, provenance: { ...fromSource, ...provenance } };
}

const fromSource = { cached: false, stale: false, attempts: [] };

/** Returns an answer that does not count: without its data and the time of it, with the problem. */
export function withoutData({ provenance }: Answer<unknown>, problem: Problem): Answer<never> {
  const { checkedAt: _checkedAt, notFoundEvidence: _notFoundEvidence, ...rest } = provenance;
  return failedAnswer(problem, rest);
}

export function withProvenance<T>(answer: Answer<T>, changes: Partial<Provenance>): Answer<T> {
  return { ...answer, provenance: { ...answer.provenance, ...changes } };
}
