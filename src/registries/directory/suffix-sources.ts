import { tldOf, type DomainName, type SplitName } from '../../domain/names/domain-name.ts';
import type { HostPort } from '../../domain/names/ip-address.ts';
import { isSharedSecondLevel } from '../../domain/policy.ts';
import { derived } from '../../shared/memoize.ts';
import { dasServiceOf } from '../whois/das-services.ts';
import { whoisServiceOf, type WhoisService } from '../whois/whois-format.ts';
import type { Service, Services } from './bootstrap-parser.ts';
import privateTable from './private-registries.json' with { type: 'json' };
import labelsByTld from './registrable-suffixes.json' with { type: 'json' };
import type { SourceSettings, SuffixSettings } from './sources-file.ts';
import table from './unlisted-servers.json' with { type: 'json' };

/** The sources of one entry of the directory. */
export interface SuffixSources {
  readonly rdap?: Service;
  readonly das?: DasEndpoint;
  readonly whois?: WhoisEndpoint;
  /** Whether the DNS of its zones is queried, unless the operator disabled it for one of them. */
  readonly dns: boolean;
}

/** The availability service of a TLD. */
export interface DasEndpoint {
  readonly tld: string;
  /** The operator's server, if it is not the registry's own. */
  readonly address?: HostPort;
  /** The TLD whose service has the same form, if it is another one. */
  readonly like?: string;
  /** Registered names for its controls, if they are not those of the built-in table. */
  readonly samples?: readonly DomainName[];
}

/** The WHOIS server of a TLD. */
export interface WhoisEndpoint extends Omit<DasEndpoint, 'like'> {
  readonly service: WhoisService;
}

/** What is known about the sources of all suffixes. */
export interface KnownSources {
  readonly bootstrap: Services;
  /** RDAP servers that take precedence over all others. */
  readonly overrides: Services;
  readonly settings: SourceSettings;
  /** Whether WHOIS servers are queried. */
  readonly usesWhois: boolean;
  readonly tlds: ReadonlySet<string>;
}

/** What is known now. Another object replaces it when the bootstrap document or the TLDs change. */
export interface CurrentSources {
  readonly current: KnownSources;
}

/**
 * Returns the suffixes with an entry of their own: every TLD, and longer suffixes with their own
 * RDAP server, such as those of private registries.
 */
export function entrySuffixes({
  bootstrap,
  overrides,
  settings,
  tlds,
}: KnownSources): ReadonlySet<string> {
  const configured = Array.from(settings.suffixes).filter(
    (suffix) => !suffix.includes('.') || settings.of(suffix).rdap !== undefined,
  );
  return new Set([
    ...tlds,
    ...privateServers.keys(),
    ...bootstrap.keys(),
    ...overrides.keys(),
    ...configured,
  ]);
}

/**
 * Returns the sources of an entry. Precedence of RDAP servers: the overrides, the operator's file
 * of sources, the bootstrap document, and the built-in table of unlisted servers.
 */
export function suffixSources(entry: string, known: KnownSources): SuffixSources {
  const { rdap: configured, das: address, whois = {}, dns } = settingsOf(entry, known.settings);
  const rdap = rdapService(entry, configured, known);
  const hasDas = address !== null && dasServiceOf(entry) !== undefined;
  const { service = whoisServiceOf(entry), ...settings } = whois ?? {};

  return {
    ...(rdap && { rdap }),
    ...(hasDas && { das: { tld: entry, ...(address && { address }) } }),
    ...(known.usesWhois && whois && service && { whois: { tld: entry, service, ...settings } }),
    dns: dns !== null,
  };
}

/** Returns the settings of an entry. Those of its TLD are not about a private registry. */
function settingsOf(entry: string, settings: SourceSettings): SuffixSettings {
  const stated = settings.of(entry);
  if (!privateServers.has(entry)) return stated;

  const [root, ofTld] = [settings.of(''), settings.of(tldOf(entry))];
  const isOfTld = (field: 'rdap' | 'whois') =>
    stated[field] !== null && stated[field] === ofTld[field] && ofTld[field] !== root[field];
  const { rdap, whois, ...others } = stated;

  return {
    ...others,
    ...(rdap !== undefined && !isOfTld('rdap') && { rdap }),
    ...(whois !== undefined && !isOfTld('whois') && { whois }),
  };
}

function rdapService(
  entry: string,
  configured: readonly [string, ...string[]] | null | undefined,
  { bootstrap, overrides }: KnownSources,
): Service | undefined {
  const override = overrides.get(entry);
  if (override) return override;
  if (configured === null) return undefined;
  if (configured) return unlistedService(configured);

  const root = overrides.get('') ?? bootstrap.get('');
  const ofPrivate = privateServers.get(entry);
  if (ofPrivate !== undefined)
    return bootstrap.get(entry) ?? unlistedService(root?.baseUrls ?? [ofPrivate]);

  const listed = bootstrap.get(entry) ?? root;
  const unlisted = unlistedServers.get(entry);
  return listed ?? (unlisted === undefined ? undefined : unlistedService([unlisted]));
}

function unlistedService(baseUrls: readonly [string, ...string[]]): Service {
  return { baseUrls, trust404: true, isListed: false };
}

/**
 * Returns a predicate that is true for the origins of RDAP servers that the bootstrap document, the
 * operator or the built-in table names.
 */
export function namedOrigins(known: CurrentSources): (origin: string) => boolean {
  const origins = derived(
    () => known.current,
    (current) => new Set(baseUrlsOf(current).map((baseUrl) => new URL(baseUrl).origin)),
  );
  return (origin) => origins().has(origin);
}

function baseUrlsOf({ bootstrap, overrides, settings }: KnownSources): readonly string[] {
  const services = [...bootstrap.values(), ...overrides.values()];
  const configured = ['', ...settings.suffixes].map((suffix) => settings.of(suffix).rdap ?? []);

  return [
    ...services.flatMap(({ baseUrls }) => baseUrls),
    ...configured.flat(),
    ...unlistedServers.values(),
    ...privateServers.values(),
  ];
}

/**
 * RDAP servers that IANA's bootstrap document does not list, by TLD. A 200 is trusted. A 404 counts
 * only while the server finds a canary of the same TLD, and if the DNS confirms it:
 * some of these servers may be unofficial, out of date or incomplete, and a shared host returns 404
 * for every TLD that it does not serve. Compiled in November 2026 from public lists of servers.
 *
 * `rdap.nic.io` and `rdap.nic.co` are excluded, because they return 404 for registered names.
 * Excluded too are hosts such as `rdap.jprs.jp` and `rdap.eu`, which only one list of generated
 * names contains. That of `de` is a pilot without a service level, and about `co` the lists differ.
 */
export const unlistedServers: ReadonlyMap<string, string> = new Map(
  Object.entries(table).flatMap(([baseUrl, tlds]) =>
    tlds.split(' ').map((tld) => [tld, baseUrl] as const),
  ),
);

/**
 * RDAP servers of organizations that sell names below a domain of their own, by that domain. They
 * are used like `unlistedServers`. Compiled from the same lists; those without a server are absent.
 */
export const privateServers: ReadonlyMap<string, string> = new Map(
  Object.entries(privateTable).map(([suffix, { rdap }]) => [suffix, rdap]),
);

/**
 * Multi-label suffixes under which the TLD's registry sells names itself, so that its "not found"
 * is proof there too. Others, such as ac.uk or gov.in, may be run by another organization. Source:
 * the registries' lists of open second-level domains.
 */
const registrableSuffixes = new Set(
  Object.entries(labelsByTld).flatMap(([tld, labels]) =>
    labels.split(' ').map((label) => `${label}.${tld}`),
  ),
);

/** The suffixes under which servers have found names. */
export interface FoundSuffixes {
  has(suffix: string, baseUrl: string): boolean;
  add(suffix: string, baseUrl: string): void;
}

/**
 * Creates the policy for the "not found" of a TLD's registry. It is proof for names directly under
 * an entry of the directory, under a registrable suffix, and under a suffix for which this server
 * has found a name before.
 */
export function suffixPolicy(
  baseUrl: string,
  isEntry: (suffix: string) => boolean,
  found: FoundSuffixes,
) {
  return {
    trustsNotFound({ suffix }: SplitName): boolean {
      return (
        !suffix.includes('.') ||
        isEntry(suffix) ||
        registrableSuffixes.has(suffix) ||
        isSharedSecondLevel(suffix) ||
        found.has(suffix, baseUrl)
      );
    },
    recordFound({ suffix }: SplitName): void {
      const isKnown = !suffix.includes('.') || isSharedSecondLevel(suffix);
      if (!isKnown && !found.has(suffix, baseUrl)) found.add(suffix, baseUrl);
    },
  };
}
