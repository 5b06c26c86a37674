import type { Plan, PlanChange } from '../account.ts';
import { CliError } from './cli-error.ts';

/** What an operator wrote of a plan. */
export interface PlanOptions {
  readonly name?: string;
  readonly credits?: string;
  readonly origin?: readonly string[];
}

/** Reads the plan of a new account. Throws `Refusal`. */
export function readPlan({ name, ...options }: PlanOptions): Plan {
  if (name === undefined || !/^[^\p{Cc}]{1,200}$/u.test(name.trim()))
    throw new CliError(2, '--name must be a name of up to 200 characters.');
  return { name: name.trim(), credits: null, origins: [], ...readPlanChange(options) };
}

/** Reads what shall be another one; what is not written stays. Throws `Refusal`. */
export function readPlanChange({ credits, origin }: PlanOptions): PlanChange {
  return {
    ...(credits !== undefined && { credits: readCredits(credits) }),
    ...(origin && { origins: readOrigins(origin) }),
  };
}

/** `free` is what `list` calls them where there is no plan: the way back. */
function readCredits(text: string): number | null {
  if (text === 'free') return null;
  if (!/^\d{1,12}$/.test(text))
    throw new CliError(2, '--credits must be a whole number, 0 or more, or free.');
  return Number(text);
}

/** `any` is the way back from a key for browsers. */
function readOrigins(texts: readonly string[]): readonly string[] {
  return texts.join() === 'any' ? [] : [...new Set(texts.map(readOrigin))];
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The path of `https://app.example` is `/`.
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new CliError(
      2,
      `--origin must be an origin such as https://app.example, or any alone, got ${JSON.stringify(text)}.`,
    );
  }
  return url.origin;
}
