/** The holder of one or more API keys. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Credits per month; null for an account without a plan, which gets `FREE_CREDITS`. */
  readonly credits: number | null;
  /** Web origins from which its keys work. Empty: keys are not restricted to origins. */
  readonly origins: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** When its keys were revoked, in milliseconds since the epoch; null for an active account. */
  readonly revokedAt: number | null;
}

/** The properties of an account that the operator sets. */
export type Plan = Pick<Account, 'name' | 'credits' | 'origins'>;

/** A change to a plan; absent properties keep their values. */
export type PlanChange = Partial<Pick<Plan, 'credits' | 'origins'>>;

/** The credits of an account in the current month. */
export interface Balance {
  readonly limit: number;
  readonly used: number;
  /** At least 0, even if a plan was reduced after more credits had been used. */
  readonly remaining: number;
  /** Start of the next month, in milliseconds since the epoch. */
  readonly resetsAt: number;
}
