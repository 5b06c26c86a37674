import { Problem } from '../domain/problems.ts';
import { onceFulfilled } from '../shared/memoize.ts';
import { CachedSiteReader, type FactReaders } from './cached-site-reader.ts';
import type { FactParts } from './fact-readers.ts';
import { loadDisposableMail, type DisposableMailFile } from './mail/disposable-mail.ts';
import { isSandboxHost } from './sandbox/sandbox-site.ts';
import type { ReadFact, SiteFact } from './site-facts.ts';
import { SiteExtension, type SiteParts } from './site-lookups.ts';

/** What the operator configured, and what sites share with the rest of the gateway. */
export interface SiteOptions extends FactParts, Pick<SiteParts, 'onOutcome'> {
  /** Whether sites are contacted at all. */
  readonly contactsSites: boolean;
  /** Whether sites and their DNS servers are reached: without a proxy, or beside it. */
  readonly isReachable: boolean;
  /** The list of disposable mail domains; undefined for the built-in one. */
  readonly mailFile: DisposableMailFile | undefined;
}

/** Opens the lookups of sites. */
export function openSites(options: SiteOptions): SiteExtension {
  const { clock, hasSandbox, onOutcome, mailFile } = options;
  const isSandbox = (host: string) => hasSandbox && isSandboxHost(host);
  const reader = new CachedSiteReader({
    readers: factReaders(options, (...read) => reader.read(...read)),
    clock,
    refusalOf: (fact, host) => refusalOf(options, fact, isSandbox(host)),
    isSandbox,
  });
  return new SiteExtension({
    reader,
    disposableMail: loadDisposableMail(mailFile),
    clock,
    onOutcome,
  });
}

/** Returns the readers of all facts, which are loaded with the first site that is read. */
function factReaders(parts: FactParts, read: CachedSiteReader['read']): FactReaders {
  const load = onceFulfilled(async () => {
    const { siteReaders } = await import('./fact-readers.ts');
    return siteReaders(parts, read);
  });
  const reader =
    <F extends SiteFact>(fact: F): ReadFact<F> =>
    async (...query) =>
      (await load())[fact](...query);
  return {
    robots: reader('robots'),
    page: reader('page'),
    tls: reader('tls'),
    agentSignals: reader('agentSignals'),
    dns: reader('dns'),
    forSale: reader('forSale'),
    certificates: reader('certificates'),
  };
}

/** The facts that no site is contacted for. */
const otherFacts = new Set<SiteFact>(['dns', 'forSale', 'certificates']);

function refusalOf(
  { contactsSites, isReachable, searchUrl }: SiteOptions,
  fact: SiteFact,
  isSandbox: boolean,
): Problem | undefined {
  if (!contactsSites && !otherFacts.has(fact))
    return refusal('Site lookups are disabled on this gateway (SITE_LOOKUPS=off).');
  if (fact !== 'certificates' && !isSandbox && !isReachable)
    return refusal(
      'This gateway reaches no sites: it is behind a proxy (OUTBOUND_PROXY), and OUTBOUND_DIRECT does not name `sites`.',
    );
  return fact === 'certificates' && !isSandbox && searchUrl === undefined
    ? refusal('The certificate search is disabled on this gateway (CT_SEARCH_URL=off).')
    : undefined;
}

function refusal(detail: string): Problem {
  return new Problem('not_implemented', detail);
}
