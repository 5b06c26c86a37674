import { tldOf, toUnicodeName, type SplitName } from './domain-name.ts';
import { Problem } from './problems.ts';
import reserved from './reserved-labels.json' with { type: 'json' };

/** Who may register names under a TLD. UNKNOWN: no fact is documented. */
export const policyKinds = ['OPEN', 'RESTRICTED', 'BRAND', 'CLOSED', 'UNKNOWN'] as const;
export type PolicyKind = (typeof policyKinds)[number];

export interface Policy {
  readonly kind: PolicyKind;
  /** RESTRICTED: what a registrant needs. CLOSED: why there are no registrations. */
  readonly reason?: string;
  /** RESTRICTED: when the registry verifies it. */
  readonly check?: string;
  /** The registry has ICANN's base agreement, whose Specification 5 reserves labels. */
  readonly hasBaseAgreement?: boolean;
}

export const cautionCodes = [
  'restricted_tld',
  'reserved_label',
  'idn_unverified',
  'short_label',
] as const;

/** Something to check before you register an available name. */
export interface Caution {
  readonly code: (typeof cautionCodes)[number];
  readonly detail: string;
}

/** Returns what a policy requires of registrants, or why there are none; null if nothing is known. */
export function policyDetail(suffix: string, { kind, reason, check }: Policy): string | null {
  const tld = `.${toUnicodeName(tldOf(suffix))}`;
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
 * Returns why nobody else can register an unregistered name: `brand_tld`, `closed_tld` or
 * `reserved_label`. Undefined unless that is certain.
 */
export function reservationOf({ label, suffix }: SplitName, policy: Policy): Problem | undefined {
  const isClosed = policy.kind === 'CLOSED' && !suffix.includes('.');
  if (isClosed || policy.kind === 'BRAND')
    return new Problem(isClosed ? 'closed_tld' : 'brand_tld', policyDetail(suffix, policy) ?? '');

  return isWithheld(label, suffix, policy)
    ? new Problem('reserved_label', `The registry of .${suffix} must reserve "${label}".`)
    : undefined;
}

/** Returns what to check before you register an available name; nothing for names of the sandbox. */
export function cautionsOf({ label, suffix }: SplitName, policy: Policy): readonly Caution[] {
  const cautions: Caution[] = [];
  if (tldOf(suffix) === 'test') return cautions;
  const restriction = policy.kind === 'RESTRICTED' && policyDetail(suffix, policy);
  if (restriction) cautions.push({ code: 'restricted_tld', detail: restriction });
  if (reservesLabels(suffix, policy) && isReleasable(label))
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
      detail: 'The registry may not accept the characters of this label.',
    });
  return cautions;
}

const countryNames: ReadonlySet<string> = new Set(
  reserved.countries.flatMap((line) => line.split(' ')),
);

/** Two characters and the names of countries (Specification 5, sections 2 and 4). */
function isReleasable(label: string): boolean {
  return countryNames.has(label) || /^[a-z0-9]{2}$/.test(label);
}

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
