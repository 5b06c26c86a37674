import { systemClock } from '../../clock.ts';
import type { Plan, PlanChange } from '../../accounts/account.ts';
import { CliError } from './cli-error.ts';
import { readExpiry } from './expiry.ts';

/** The plan options of a command line. */
export interface PlanOptions {
  readonly name?: string;
  readonly credits?: string;
  readonly origin?: readonly string[];
  readonly expires?: string;
}

/** Parses the plan of a new account. Throws `CliError`. */
export function readPlan({ name, ...options }: PlanOptions): Plan {
  if (name === undefined || !/^[^\p{Cc}]{1,200}$/u.test(name.trim()))
    throw new CliError(2, '--name must be 1 to 200 characters long, without control characters.');
  return { name: name.trim(), credits: null, origins: [], ...readPlanChange(options) };
}

/** Parses a change to a plan; absent options change nothing. Throws `CliError`. */
export function readPlanChange({ credits, origin, expires }: PlanOptions): PlanChange {
  return {
    ...(credits !== undefined && { credits: readCredits(credits) }),
    ...(origin && { origins: readOrigins(origin) }),
    ...(expires !== undefined && { expiresAt: readExpiry(expires, systemClock.now()) }),
  };
}

/** `free` resets to `FREE_CREDITS`. */
function readCredits(text: string): number | null {
  if (text === 'free') return null;
  if (!/^\d{1,12}$/.test(text))
    throw new CliError(2, '--credits must be an integer from 0 to 999999999999, or free.');
  return Number(text);
}

/** `any` removes the restriction on origins. */
function readOrigins(texts: readonly string[]): readonly string[] {
  return texts.join() === 'any' ? [] : [...new Set(texts.map(readOrigin))];
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The path of `https://app.example` is `/`.
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new CliError(
      2,
      `--origin must be an origin such as https://app.example, or any on its own; got ${JSON.stringify(text)}.`,
    );
  }
  return url.origin;
}
