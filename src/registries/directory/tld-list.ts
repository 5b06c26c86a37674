import { tldOf } from '../../domain/domain-name.ts';
import type { Policy } from '../../domain/policy.ts';
import { DocumentLoader, type LoaderOptions } from './document-loader.ts';
import policyTable from './policies.json' with { type: 'json' };
import type { SourceSettings } from './sources-file.ts';
import tldTable from './tld-table.json' with { type: 'json' };

const ianaHost = 'data.iana.org';
const listPath = '/TLD/tlds-alpha-by-domain.txt';

/**
 * Returns the URL of IANA's list of TLDs if the bootstrap document is IANA's: an operator who loads
 * it from elsewhere may not want connections to IANA.
 */
export function tldListUrl(bootstrapUrl: string): string | undefined {
  const { hostname } = new URL(bootstrapUrl);
  return hostname === ianaHost ? new URL(listPath, bootstrapUrl).href : undefined;
}

/**
 * Parses IANA's list of TLDs: one A-label per line, and comments. Throws an Error with the reason.
 */
export function parseTldList(text: string): ReadonlySet<string> {
  const lines = text.split('\n').map((line) => line.trim().toLowerCase());
  const labels = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const invalid = labels.find((label) => !/^[a-z0-9-]{2,63}$/.test(label));
  if (invalid !== undefined)
    throw new Error(`${JSON.stringify(invalid.slice(0, 80))} is not a TLD`);
  return new Set(labels);
}

/** Loads IANA's list of TLDs. */
export class TldListLoader extends DocumentLoader<ReadonlySet<string>> {
  /** Starts loading the list. */
  constructor(options: LoaderOptions) {
    const type = {
      name: 'list of TLDs',
      storeKey: `tlds:${options.url}`,
      mediaType: 'text/plain',
      decode: (body: Uint8Array) => new TextDecoder().decode(body),
      parse: (document: unknown) => parseTldList(String(document)),
      builtIn: () => builtInTlds,
      isBuiltInCopy: true,
    };
    super(type, options);
  }
}

/** IANA's list of TLDs, as `npm run bootstrap` last wrote it. */
export const builtInTlds: ReadonlySet<string> = new Set(
  tldTable.labels.flatMap((line) => line.split(' ')),
);

const documented: ReadonlyMap<string, Policy> = new Map<string, Policy>([
  ...Array.from(builtInTlds, (tld) => [tld, { kind: 'UNKNOWN' }] as const),
  ...policyTable.brand.flatMap(wordsOf).map((tld) => [tld, { kind: 'BRAND' }] as const),
  ...Object.entries(policyTable.closed).map(
    ([tld, reason]) => [tld, { kind: 'CLOSED', reason }] as const,
  ),
  ...policyTable.restricted.flatMap(({ tlds, requires, check }) =>
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
