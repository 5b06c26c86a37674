/** Somebody who holds a key. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Credits a month; null for an account without a plan of its own, which has `FREE_CREDITS`. */
  readonly credits: number | null;
  /** The web origins that its key works from; none: from everywhere but a browser's limits. */
  readonly origins: readonly string[];
  /** Milliseconds since the epoch, as are the others. */
  readonly createdAt: number;
  /** When its keys stopped working; null while they work. */
  readonly revokedAt: number | null;
}

/** What an operator chooses for an account. */
export type Plan = Pick<Account, 'name' | 'credits' | 'origins'>;

/** What of it may be another one later; what is absent stays. */
export type PlanChange = Partial<Pick<Plan, 'credits' | 'origins'>>;

/** What an account may spend in the month that is running. */
export interface Balance {
  readonly limit: number;
  readonly used: number;
  /** Never below 0, also when a plan was cut after more was used. */
  readonly remaining: number;
  /** When the next month begins, in milliseconds since the epoch. */
  readonly resetsAt: number;
}
