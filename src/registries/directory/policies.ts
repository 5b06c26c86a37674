import { tldOf } from '../../domain/domain-name.ts';
import type { Policy } from '../../domain/policy.ts';
import table from './policies.json' with { type: 'json' };
import type { SourceSettings } from './sources-file.ts';
import { builtInTlds } from './tld-list.ts';

const documented: ReadonlyMap<string, Policy> = new Map<string, Policy>([
  ...Array.from(builtInTlds, (tld) => [tld, { kind: 'UNKNOWN' }] as const),
  ...table.brand.flatMap(wordsOf).map((tld) => [tld, { kind: 'BRAND' }] as const),
  ...Object.entries(table.closed).map(
    ([tld, reason]) => [tld, { kind: 'CLOSED', reason }] as const,
  ),
  ...table.restricted.flatMap(({ tlds, requires, check }) =>
    wordsOf(tlds).map(
      (tld) => [tld, { kind: 'RESTRICTED', reason: requires, ...(check && { check }) }] as const,
    ),
  ),
]);

const otherAgreements = new Set(wordsOf('aero arpa com coop edu gov int mil museum name net post'));

/** The policies of TLDs. IDN TLDs may be country codes, so none counts as bound by the agreement. */
const policies: ReadonlyMap<string, Policy> = new Map(
  Array.from(documented, ([tld, policy]) => {
    const hasBaseAgreement = /^[a-z]{3,}$/.test(tld) && !otherAgreements.has(tld);
    return [tld, { ...policy, hasBaseAgreement }];
  }),
);

const unknown: Policy = { kind: 'UNKNOWN' };

/**
 * Returns a function that returns the policy of a suffix: that of the operator, or what ICANN's
 * agreements, registries and registrars document.
 */
export function policiesWith(settings: SourceSettings): (suffix: string) => Policy {
  return (suffix) => {
    const policy = policies.get(tldOf(suffix)) ?? unknown;
    const kind = settings.hasPolicies ? settings.of(suffix).policy : undefined;
    return kind === undefined || kind === policy.kind ? policy : { kind };
  };
}

function wordsOf(line: string): readonly string[] {
  return line.split(' ');
}
