import type { Plan, PlanChange, Role } from './account.ts';

/** The properties of a plan as an operator types them: options of a command, or fields of a form. */
export interface PlanTexts {
  readonly name?: string;
  /** Credits per month, or `free` for `FREE_CREDITS`. */
  readonly credits?: string;
  /** Requests per minute, 0 for no limit, or `default` for `RATE_LIMIT`. */
  readonly rate?: string;
  /** Origins, or only `any`. */
  readonly origin?: readonly string[];
  /** A date, a number of days such as `30d`, or `never`. */
  readonly expires?: string;
  /** `operator` or `none`. */
  readonly role?: string;
}

/** A text of a plan is not valid. The message says what `field` must be, and follows its name. */
export class InvalidPlanError extends Error {
  override readonly name = 'InvalidPlanError';
  readonly field: keyof PlanTexts;

  constructor(field: keyof PlanTexts, message: string) {
    super(message);
    this.field = field;
  }
}

/** Parses the plan of a new account. `now` is in epoch ms. Throws `InvalidPlanError`. */
export function readPlan({ name = '', ...texts }: PlanTexts, now: number): Plan {
  // Line breaks, and characters that reverse the text after them, would disguise a name.
  if (!/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]{1,200}$/u.test(name.trim()))
    throw new InvalidPlanError(
      'name',
      'must be 1 to 200 characters long, without control characters.',
    );
  return { name: name.trim(), credits: null, origins: [], ...readPlanChange(texts, now) };
}

/**
 * Parses a change to a plan; absent texts change nothing. `now` is in epoch ms. Throws
 * `InvalidPlanError`.
 */
export function readPlanChange(texts: Omit<PlanTexts, 'name'>, now: number): PlanChange {
  const { credits, rate, origin, expires, role } = texts;
  return {
    ...(credits !== undefined && {
      credits: readCount('credits', credits, 'free', 999_999_999_999),
    }),
    ...(rate !== undefined && { rate: readCount('rate', rate, 'default', 1_000_000) }),
    ...(origin && { origins: readOrigins(origin) }),
    ...(expires !== undefined && { expiresAt: readExpiry(expires, now) }),
    ...(role !== undefined && { role: readRole(role) }),
  };
}

/** Reads a number. `unset` stands for none, which is null. */
function readCount(
  field: 'credits' | 'rate',
  text: string,
  unset: string,
  max: number,
): number | null {
  if (text === unset) return null;
  const count = /^\d{1,12}$/.test(text) ? Number(text) : Infinity;
  if (count <= max) return count;
  throw new InvalidPlanError(field, `must be an integer from 0 to ${max}, or ${unset}.`);
}

function readRole(text: string): Role | null {
  if (text !== 'operator' && text !== 'none')
    throw new InvalidPlanError('role', `must be operator or none; got ${JSON.stringify(text)}.`);
  return text === 'none' ? null : text;
}

/** `any` removes the restriction on origins. */
function readOrigins(texts: readonly string[]): readonly string[] {
  return texts.join() === 'any' ? [] : [...new Set(texts.map(readOrigin))];
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The path of `https://app.example` is `/`.
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new InvalidPlanError(
      'origin',
      `must be an origin such as https://app.example, or any on its own; got ${JSON.stringify(text)}.`,
    );
  }
  return url.origin;
}

/** Returns epoch ms, or null if the keys do not expire. */
function readExpiry(text: string, now: number): number | null {
  if (text === 'never') return null;

  const expiresAt = timeOf(text, now);
  if (expiresAt === undefined || !(expiresAt > now))
    throw new InvalidPlanError(
      'expires',
      `must be a future date such as 2027-01-31 (UTC), a number of days such as 30d, or never; got ${JSON.stringify(text)}.`,
    );

  return expiresAt;
}

const dayMs = 24 * 60 * 60 * 1000;

function timeOf(text: string, now: number): number | undefined {
  if (/^\d{1,5}d$/.test(text)) return now + Number.parseInt(text, 10) * dayMs;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // `Date.parse` accepts 2027-02-30, as 2 March.
  const isValid = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isValid ? time : undefined;
}
