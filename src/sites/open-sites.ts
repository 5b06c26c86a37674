import type { Extension } from '../domain/extension.ts';
import { Problem } from '../domain/problems.ts';
import { onceFulfilled } from '../shared/memoize.ts';
import { CachedSiteReader } from './cached-site-reader.ts';
import { dnsLookup } from './dns/dns-feature.ts';
import type { Fact, SiteReader } from './fact.ts';
import type { FactOptions } from './fact-parts.ts';
import { siteLookups } from './features.ts';
import { loadDisposableMail, type DisposableMailFile } from './mail/disposable-mail.ts';
import { isSandboxHost } from './sandbox/sandbox-site.ts';
import type { ReadFact } from './site-facts.ts';
import { siteExtension, type SiteParts } from './site-lookups.ts';

/** What the operator configured, and what sites share with the rest of the gateway. */
export interface SiteOptions extends FactOptions, Pick<SiteParts, 'onOutcome'> {
  /** Whether sites are contacted at all. */
  readonly contactsSites: boolean;
  /** Whether sites and their DNS servers are reached: without a proxy, or beside it. */
  readonly isReachable: boolean;
  /** The list of disposable mail domains; undefined for the built-in one. */
  readonly mailFile: DisposableMailFile | undefined;
}

export function openSites(options: SiteOptions): Extension {
  const { clock, hasSandbox, onOutcome, mailFile } = options;
  const isSandbox = (host: string) => hasSandbox && isSandboxHost(host);
  const readers = factReaders(options, isSandbox, (...query) => reader.read(...query));
  const reader = new CachedSiteReader(readers, clock);

  return siteExtension({
    reader,
    isSandbox,
    refusalOf: (fact, host) => refusalOf(options, fact, isSandbox(host)),
    lookups: new Map([
      ...siteLookups.map((lookup) => [lookup.name, lookup] as const),
      // The networks of these contacts are those of the addresses.
      ['abuseContacts', dnsLookup],
    ]),
    disposableMail: loadDisposableMail(mailFile),
    clock,
    onOutcome,
  });
}

/** Returns the function that returns readers, which are loaded with the first site. */
function factReaders(
  options: FactOptions,
  isSandbox: (host: string) => boolean,
  read: SiteReader['read'],
) {
  const parts = onceFulfilled(async () => {
    const { createFactParts } = await import('./fact-parts.ts');
    return createFactParts(options, read);
  });
  return <T>(fact: Fact<T>): ReadFact<T> =>
    async (query, request) => {
      if (!fact.sandbox || !isSandbox(query.target.host))
        return (await fact.open(await parts()))(query, request);
      const data = await fact.sandbox(query, options.clock.now());
      request.onSent?.();
      return data;
    };
}

function refusalOf(
  { contactsSites, isReachable, searchUrl }: SiteOptions,
  { from }: Fact<unknown>,
  isSandbox: boolean,
): Problem | undefined {
  if (!contactsSites && from === 'site')
    return refusal('Site lookups are disabled on this gateway (SITE_LOOKUPS=off).');
  if (from !== 'search' && !isSandbox && !isReachable)
    return refusal(
      'This gateway reaches no sites: it is behind a proxy (OUTBOUND_PROXY), and OUTBOUND_DIRECT does not name `sites`.',
    );
  return from === 'search' && !isSandbox && searchUrl === undefined
    ? refusal('The certificate search is disabled on this gateway (CT_SEARCH_URL=off).')
    : undefined;
}

function refusal(detail: string): Problem {
  return new Problem('not_implemented', detail);
}
