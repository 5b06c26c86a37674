/** A GraphQL document that a key may execute. */
export interface TrustedDocument {
  /** The identifiers by which requests may select it, among them the SHA-256 hash of `text`. */
  readonly ids: readonly string[];
  /** The name of its operation, or its identifier if the operation has no name. */
  readonly name: string;
  /** One operation and its fragments. */
  readonly text: string;
}

export type Role = 'operator';

/** The holder of one or more API keys. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Credits per month; null for an account without a plan, which gets `FREE_CREDITS`. */
  readonly credits: number | null;
  /** Web origins from which its keys work. Empty: keys are not restricted to origins. */
  readonly origins: readonly string[];
  /** The only documents that its keys may execute; null: keys are not limited to documents. */
  readonly documents: readonly TrustedDocument[] | null;
  /** What its keys may do besides the API: `operator` for the operator page. */
  readonly role: Role | null;
  /** Requests per minute, 0 for no limit; null for an account to which `RATE_LIMIT` applies. */
  readonly rate: number | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** When its keys stop working, in milliseconds since the epoch; null if they do not expire. */
  readonly expiresAt: number | null;
  /** When its keys were revoked, in milliseconds since the epoch; null for an active account. */
  readonly revokedAt: number | null;
}

/** An account with its last use. */
export interface ListedAccount extends Account {
  /** When it was last charged, in milliseconds since the epoch; null if that is not known. */
  readonly lastChargedAt: number | null;
}

/** Returns whether the keys of an account work at a time, in milliseconds since the epoch. */
export function stateOf(
  { revokedAt, expiresAt }: Pick<Account, 'revokedAt' | 'expiresAt'>,
  now: number,
): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

/**
 * The properties of an account that the operator sets. By default, it does not expire, has no role
 * and no rate of its own, and its keys are not limited to documents.
 */
export type Plan = Pick<Account, 'name' | 'credits' | 'origins'> &
  Partial<Pick<Account, 'documents' | 'role' | 'rate' | 'expiresAt'>>;

/** A change to a plan; absent properties keep their values. */
export type PlanChange = Partial<Omit<Plan, 'name'>>;

/** The credits of an account in the current month. */
export interface Balance {
  readonly limit: number;
  readonly used: number;
  /** At least 0, even if a plan was reduced after more credits had been used. */
  readonly remaining: number;
  /** Start of the next month, in milliseconds since the epoch. */
  readonly resetsAt: number;
}

/** The cost of an operation, in credits. */
export interface Cost {
  readonly requested: number;
  readonly charged: number;
  readonly refunded: number;
  /** What the account has left this month. */
  readonly remaining: number;
}

/** A calendar month in UTC, e.g. `2026-11`. */
export type Month = string;

/** Returns the month (UTC) that contains `now`, in milliseconds since the epoch. */
export function monthOf(now: number): Month {
  const date = new Date(now);
  // Each charge needs the month. `toISOString` takes ten times as long.
  return `${date.getUTCFullYear()}-${String(date.getUTCMonth() + 1).padStart(2, '0')}`;
}

/** Returns the end of a month, in milliseconds since the epoch. */
export function endOfMonth(month: Month): number {
  return Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)));
}
