import { tldOf } from '../../domain/names/domain-name.ts';
import type { LaunchDates } from '../../domain/launch.ts';
import type { Letters } from '../../domain/names/letters.ts';
import type { Policy } from '../../domain/policy.ts';
import { DocumentLoader, type LoaderOptions } from './document-loader.ts';
import policyTable from './policies.json' with { type: 'json' };
import facts from './tld-facts.json' with { type: 'json' };
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

/** Starts loading IANA's list of TLDs. */
export function loadTldList(options: LoaderOptions): DocumentLoader<ReadonlySet<string>> {
  const type = {
    name: 'list of TLDs',
    storeKey: `tlds:${options.url}`,
    mediaType: 'text/plain',
    decode: (body: Uint8Array) => new TextDecoder().decode(body),
    parse: (document: unknown) => parseTldList(String(document)),
    builtIn: () => builtInTlds,
    isBuiltInCopy: true,
  };
  return new DocumentLoader(type, options);
}

/** Returns an entry of a map for each TLD in the lines of a table. */
export function forTlds<T>(lines: string | readonly string[], value: T): (readonly [string, T])[] {
  const tlds = [lines].flat().flatMap((line) => line.split(' '));
  return tlds.map((tld) => [tld, value]);
}

/** IANA's list of TLDs, as `npm run bootstrap` last wrote it. */
export const builtInTlds: ReadonlySet<string> = new Set(
  tldTable.labels.flatMap((line) => line.split(' ')),
);

const unknown: Policy = { kind: 'UNKNOWN' };

const documented: ReadonlyMap<string, Policy> = new Map<string, Policy>([
  ...forTlds(tldTable.labels, unknown),
  ...forTlds(facts.onSale, { kind: 'UNKNOWN', isSold: true } as const),
  ...forTlds(facts.open, { kind: 'OPEN' } as const),
  ...forTlds(facts.notSold, { kind: 'NOT_SOLD' } as const),
  ...forTlds(policyTable.brand, { kind: 'BRAND' } as const),
  ...Object.entries(policyTable.closed).flatMap(([tld, reason]) =>
    forTlds(tld, { kind: 'CLOSED', reason } as const),
  ),
  ...policyTable.restricted.flatMap(({ tlds, requires, check }) =>
    forTlds(tlds, { kind: 'RESTRICTED', reason: requires, ...(check && { check }) } as const),
  ),
]);

const otherAgreements = new Set(
  'aero arpa com coop edu gov int mil museum name net post'.split(' '),
);

const emojiTlds: ReadonlySet<string> = new Set(facts.emoji.split(' '));

/** Which letters the registries take, as far as it is known. */
const letters: ReadonlyMap<string, Letters> = new Map(
  facts.letters.flatMap(({ tlds, scripts, ...group }) =>
    forTlds(tlds, { ...group, scripts: scripts.split(' ').filter(Boolean) }),
  ),
);

const sellers: ReadonlyMap<string, number> = new Map(
  facts.sellers.flatMap(({ count, tlds }) => forTlds(tlds, count)),
);

const launches: ReadonlyMap<string, LaunchDates> = new Map(
  Object.entries(facts.launch).map(([tld, dates]) => [tld, { tld, ...dates }]),
);

/** The policies of TLDs. IDN TLDs may be country codes, so none counts as bound by the agreement. */
const policies: ReadonlyMap<string, Policy> = new Map(
  Array.from(documented, ([tld, policy]) => {
    const hasBaseAgreement = /^[a-z]{3,}$/.test(tld) && !otherAgreements.has(tld);
    const launch = launches.get(tld);
    const known = letters.get(tld);
    const count = sellers.get(tld);

    return [
      tld,
      {
        ...policy,
        hasBaseAgreement,
        date: facts.date,
        ...(known && { letters: { ...known, takesEmoji: emojiTlds.has(tld) } }),
        ...(count && { sellers: count }),
        ...(launch && { launch }),
      },
    ];
  }),
);

const yearMs = 365 * 24 * 60 * 60 * 1000;

/** Knows the policies of suffixes. */
export class Policies {
  readonly #settings: SourceSettings;
  readonly #now: () => number;
  /** The policies of TLDs that IANA lists and no fact is about. */
  readonly #new = new Map<string, Policy>();

  /** `now`: epoch ms. */
  constructor(settings: SourceSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** Takes IANA's list. TLDs that are not in the built-in one are new, for a year. */
  see(tlds: ReadonlySet<string>): void {
    for (const tld of tlds) {
      if (policies.has(tld) || this.#new.has(tld)) continue;
      const launch = { tld, source: newTldSource, until: this.#now() + yearMs };
      this.#new.set(tld, { ...unknown, launch });
    }
  }

  /**
   * Returns the policy of a suffix: that of the operator, or what ICANN's agreements, registries and
   * registrars document.
   */
  of(suffix: string): Policy {
    const tld = tldOf(suffix);
    const policy = policies.get(tld) ?? this.#new.get(tld) ?? unknown;
    const kind = this.#settings.hasPolicies ? this.#settings.of(suffix).policy : undefined;
    if (kind === undefined || kind === policy.kind) return policy;
    return { kind, ...(policy.letters && { letters: policy.letters }) };
  }
}

const newTldSource = `https://${ianaHost}${listPath}`;
