import { tldOf, toUnicodeName, type SplitName } from './names/domain-name.ts';
import { launchOf, type LaunchDates } from './launch.ts';
import { excludedLetter, type Letters } from './names/letters.ts';
import { Problem } from './problems.ts';
import reserved from './names/reserved-labels.json' with { type: 'json' };

/**
 * Who may register names under a TLD. NOT_SOLD: nobody is known to sell them. UNKNOWN: no fact is
 * documented.
 */
export const policyKinds = [
  'OPEN',
  'RESTRICTED',
  'BRAND',
  'CLOSED',
  'NOT_SOLD',
  'UNKNOWN',
] as const;
export type PolicyKind = (typeof policyKinds)[number];

export interface Policy {
  readonly kind: PolicyKind;
  /** RESTRICTED: what a registrant needs. CLOSED: why there are no registrations. */
  readonly reason?: string;
  /** RESTRICTED: when the registry verifies it. */
  readonly check?: string;
  /** UNKNOWN: registrars sell names all the same. */
  readonly isSold?: boolean;
  /** How many of the lists of registrars that were read have the TLD; absent for none. */
  readonly sellers?: number;
  /** The registry has ICANN's base agreement, whose Specification 5 reserves labels. */
  readonly hasBaseAgreement?: boolean;
  /** Absent if nothing is known. */
  readonly letters?: Letters;
  /** Absent for TLDs that are open, or were never to open. */
  readonly launch?: LaunchDates;
  /** The day on which the facts were collected; absent if the operator states the policy. */
  readonly date?: string;
}

export const cautionCodes = [
  'restricted_tld',
  'not_sold',
  'launch_phase',
  'expiry_access_period',
  'reserved_label',
  'idn_unverified',
  'short_label',
] as const;

/** Something to check before you register an available name. */
export interface Caution {
  readonly code: (typeof cautionCodes)[number];
  readonly detail: string;
}

/** For a name whose registry sells it after an expired registration. */
export const accessPeriodCaution: Caution = {
  code: 'expiry_access_period',
  detail:
    'The registration has expired, and the registry sells the name at a price that falls from day to day.',
};

/** Returns what a policy requires of registrants, or why there are none; null if nothing is known. */
export function policyDetail(
  suffix: string,
  { kind, reason, check, isSold = false }: Policy,
): string | null {
  const tld = `.${toUnicodeName(tldOf(suffix))}`;
  if (isSold) return `Registrars sell names under ${tld}; a local presence may be needed.`;
  if (kind === 'NOT_SOLD') return `Nobody is known to sell names under ${tld}.`;
  if (kind === 'BRAND')
    return `Only the brand that operates ${tld}, its affiliates and its licensees register names there.`;
  if (kind === 'CLOSED')
    return `Names are not registered directly under ${tld}${reason ? `: ${reason}` : ''}.`;

  return kind === 'RESTRICTED'
    ? `Registration under ${tld} requires ${reason ?? 'eligibility'}.${verifications.get(check ?? '') ?? ''}`
    : null;
}

const verifications = new Map([
  ['verified', ' The registry verifies it before the registration.'],
  ['activation', ' The registry verifies it before the name works.'],
  ['after-registration', ' The registry verifies it after the registration.'],
]);

/**
 * Returns whether a text is a second-level domain that the registry shares among names below it:
 * `smith.name`, for `john.smith.name`.
 */
export function isSharedSecondLevel(name: string): boolean {
  return /^[^.]+\.name$/.test(name);
}

/**
 * Returns why nobody else can register an unregistered name: `brand_tld`, `closed_tld`,
 * `reserved_label` or `script_not_offered`. Undefined unless that is certain.
 */
export function reservationOf(
  { ascii, label, suffix }: SplitName,
  policy: Policy,
): Problem | undefined {
  if (isSharedSecondLevel(ascii))
    return new Problem(
      'closed_tld',
      `The second level of .${suffix} is shared, and not for sale. Look up a name below it, such as john.${ascii}.`,
    );

  const isClosed = policy.kind === 'CLOSED' && !suffix.includes('.');
  if (isClosed || policy.kind === 'BRAND')
    return new Problem(isClosed ? 'closed_tld' : 'brand_tld', policyDetail(suffix, policy) ?? '');

  if (isWithheld(label, suffix, policy))
    return new Problem('reserved_label', `The registry of .${suffix} must reserve "${label}".`);

  const isOwnFact = policy.letters !== undefined && policy.letters.source === undefined;
  const excluded = isOwnFact ? excludedBy(policy, label, suffix) : undefined;
  return excluded === undefined ? undefined : new Problem('script_not_offered', excluded);
}

/** The cautions about policies under which not everybody can register a name. */
const restrictionCodes = new Map<Policy['kind'], Caution['code']>([
  ['RESTRICTED', 'restricted_tld'],
  ['NOT_SOLD', 'not_sold'],
]);

/**
 * Returns what to check before you register an available name at a time, in epoch ms; nothing for
 * names of the sandbox.
 */
export function cautionsOf(
  { label, suffix }: SplitName,
  policy: Policy,
  now: number,
): readonly Caution[] {
  const cautions: Caution[] = [];
  if (tldOf(suffix) === 'test') return cautions;

  const code = restrictionCodes.get(policy.kind);
  const restriction = code && policyDetail(suffix, policy);
  if (code && restriction) cautions.push({ code, detail: restriction });

  const launch = launchOf(policy.launch, now);
  if (launch) cautions.push({ code: 'launch_phase', detail: launch.detail });

  // Two characters and the names of countries (Specification 5, sections 2 and 4).
  if (reservesLabels(suffix, policy) && (countryNames.has(label) || /^[a-z0-9]{2}$/.test(label)))
    cautions.push({
      code: 'reserved_label',
      detail: 'Registries of generic TLDs reserve this label at first, and some still do.',
    });
  else if (label.length <= 2)
    cautions.push({
      code: 'short_label',
      detail: 'Many registries reserve labels of one or two characters, or sell them at a premium.',
    });

  if (label.startsWith('xn--'))
    cautions.push({
      code: 'idn_unverified',
      detail:
        excludedBy(policy, label, suffix) ??
        'The registry may not accept the characters of this label.',
    });

  return cautions;
}

/** Returns that the registry does not take a letter of a label; undefined if it may. */
function excludedBy({ letters }: Policy, label: string, suffix: string): string | undefined {
  // The facts are about names directly under a TLD.
  if (!letters || suffix.includes('.') || !label.startsWith('xn--')) return undefined;

  const letter = excludedLetter(label, letters);
  const where = letters.source === undefined ? 'T' : `According to ${letters.source}, t`;

  return letter === undefined
    ? undefined
    : `${where}he registry of .${toUnicodeName(suffix)} has no table for "${letter}" in this label.`;
}

const countryNames: ReadonlySet<string> = new Set(
  reserved.countries.flatMap((line) => line.split(' ')),
);

/** Labels that the base agreement reserves without exception (Specification 5, sections 1 and 3.1). */
const withheldLabels = new Set(['example', 'nic', 'rdds', 'whois', 'www']);

function isWithheld(label: string, suffix: string, policy: Policy): boolean {
  if (suffix === 'com' || suffix === 'net') return label.length === 1;
  return reservesLabels(suffix, policy) && withheldLabels.has(label);
}

/** Returns whether the base agreement reserves labels under a suffix: only directly under a TLD. */
function reservesLabels(suffix: string, { hasBaseAgreement }: Policy): boolean {
  return hasBaseAgreement === true && !suffix.includes('.');
}

const policyRanks: readonly PolicyKind[] = [
  'OPEN',
  'RESTRICTED',
  'UNKNOWN',
  'NOT_SOLD',
  'BRAND',
  'CLOSED',
];

/**
 * Returns the rank of a policy, from the one under which most people find a name. Sold names without
 * a documented rule come between open and restricted ones.
 */
export function rankOf({ kind, isSold = false }: Policy): number {
  return isSold ? 0.5 : policyRanks.indexOf(kind);
}
