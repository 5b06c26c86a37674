import type { Evidence } from '../domain/answer.ts';
import type { Instant } from '../domain/registration.ts';
import type { Phase, Verdict } from '../domain/verdict.ts';

/** What may change about a name. `REGISTERED`: it is no longer available, or unregistered. */
export const changeTypes = [
  'AVAILABLE',
  'REGISTERED',
  'PHASE',
  'EXPIRY',
  'REGISTRAR',
  'NAMESERVERS',
  'DNSSEC',
  'STATUSES',
  'UPDATED',
  'WITHOUT_VERDICT',
  'VERDICT_BACK',
] as const;
export type ChangeType = (typeof changeTypes)[number];

/**
 * What is known about a name, without anything about its registrant. Absent members are not known: a
 * registry may omit them, or the answer was only a verdict.
 */
export interface Facts {
  readonly verdict?: Verdict;
  /** Null for a name that is not registered. */
  readonly phase?: Phase | null;
  readonly createdAt?: Instant;
  /** The registry's last change. */
  readonly updatedAt?: Instant;
  readonly expiresAt?: Instant;
  readonly registrar?: { readonly name?: string; readonly ianaId?: string };
  /** In alphabetical order, as the next two. */
  readonly nameservers?: readonly string[];
  /** Presentation format of the DS records, `2371 13 2 1F98…`; empty without any. */
  readonly dnssec?: readonly string[];
  readonly statuses?: readonly string[];
}

/** What one look at a name has shown. */
export interface Observation {
  /** Undefined if there is no verdict that counts. */
  readonly facts: (Facts & { readonly verdict: Verdict }) | undefined;
  /** Origin of the record: facts of different servers are not compared. Absent without a record. */
  readonly source?: string | undefined;
  /** Whether the parent zone delegates the name; absent if it was not queried or did not answer. */
  readonly isDelegated?: boolean | undefined;
  readonly evidence: Evidence | null;
}

/** A difference that is reported. Times are in epoch ms. */
export interface Difference {
  readonly type: ChangeType;
  /** When the old state was last seen. */
  readonly notBefore: number;
  /** When the new state was first seen. */
  readonly seenAt: number;
  /** The verdict, the phase, and what differs. */
  readonly before: Facts;
  readonly after: Facts;
  readonly evidence: Evidence | null;
}

/** What is compared; `standing` is the verdict and the phase. */
export type Field = 'standing' | RecordField;
export type RecordField = keyof typeof typeOfField;
/** The type of the change of each field. */
export const typeOfField = {
  expiresAt: 'EXPIRY',
  registrar: 'REGISTRAR',
  nameservers: 'NAMESERVERS',
  dnssec: 'DNSSEC',
  statuses: 'STATUSES',
} as const satisfies Partial<Record<keyof Facts, ChangeType>>;
/** What is compared of a record. */
export const recordFields = Object.keys(typeOfField) as RecordField[];

/** What one server has sent. */
interface Held {
  /** Without a verdict before the first observation. */
  readonly facts: Facts;
  /** When the held value of each field was last seen. */
  readonly seen: Readonly<Partial<Record<Field | 'updatedAt', number>>>;
  /** Differences that wait for a second look. */
  readonly candidates: Readonly<Partial<Record<Field, Candidate>>>;
}

/** A difference that was reported. */
export interface Report {
  readonly at: number;
  readonly source: string | undefined;
  /** Absent in states of earlier versions. */
  readonly before?: Facts;
  readonly facts: Facts;
}

/** What is held of a name between two looks. Times are in epoch ms. */
export interface NameState extends Held {
  /** Where the record is from. */
  readonly source?: string | undefined;
  /** What other servers have sent, by their origin. */
  readonly others?: Readonly<Record<string, Held>> | undefined;
  /** The last report of each field. */
  readonly reported?: Readonly<Partial<Record<Field, Report>>> | undefined;
  /** When the verdict and the phase were first seen. */
  readonly since: number;
  readonly isDelegated?: boolean | undefined;
  readonly verdictAt?: number | undefined;
  /** The first look without a verdict since the last one with a verdict. */
  readonly failingSince?: number | undefined;
  /** The first look since the last complete record whose record lacked a part of what is held. */
  readonly gapSince?: number | undefined;
  /** When the last difference was reported. */
  readonly reportedAt?: number | undefined;
  /** WITHOUT_VERDICT was reported. */
  readonly isLost?: boolean;
  /** When the registry is queried again; until then, the parent zone is sufficient. */
  readonly recordAt: number;
}

export interface Candidate {
  readonly facts: Facts;
  readonly since: number;
  readonly waitUntil: number;
}
