import { toUnicodeName } from './names/domain-name.ts';

/** The days on which the phases of a new TLD begin, in ISO 8601; absent if they are not known. */
export interface LaunchDates {
  readonly tld: string;
  /** Holders of trademarks may register names. */
  readonly sunrise?: string;
  /** Anybody may, at prices that fall from day to day. */
  readonly earlyAccess?: string;
  readonly generalAvailability?: string;
  /** Where the dates are from. */
  readonly source: string;
  /** From then on, the TLD counts as open although no date is known; epoch ms. */
  readonly until?: number;
}

/** DELEGATED: in the root zone, before the first phase that is known. */
export const launchPhases = ['DELEGATED', 'SUNRISE', 'EARLY_ACCESS'] as const;

/** A TLD that is not open to all. */
export interface Launch {
  readonly phase: (typeof launchPhases)[number];
  /** The day of general availability, in ISO 8601; null if it is not known. */
  readonly opensAt: string | null;
  readonly source: string;
  readonly detail: string;
}

/** Returns the phase of a launch at a time, in epoch ms; undefined if the TLD is open. */
export function launchOf(dates: LaunchDates | undefined, now: number): Launch | undefined {
  if (!dates || now >= (dates.until ?? Infinity)) return undefined;

  const { tld, sunrise, earlyAccess, generalAvailability, source } = dates;
  const hasBegun = (day: string | undefined) => day !== undefined && Date.parse(day) <= now;
  if (hasBegun(generalAvailability)) return undefined;

  const phase = hasBegun(earlyAccess)
    ? 'EARLY_ACCESS'
    : hasBegun(sunrise)
      ? 'SUNRISE'
      : 'DELEGATED';
  const opensAt = generalAvailability ?? null;
  const detail = `.${toUnicodeName(tld)} ${texts[phase]}; ${
    opensAt === null ? 'it is not known when it opens to all' : `it opens to all on ${opensAt}`
  }.`;

  return { phase, opensAt, source, detail };
}

const texts = {
  DELEGATED: 'is new',
  SUNRISE: 'is in its sunrise phase, for holders of trademarks',
  EARLY_ACCESS: 'is in its early access phase, at prices that fall from day to day',
};
