import { parseDomainName } from '../../domain/domain-name.ts';
import { dnsFact } from '../dns/dns-lookup.ts';
import type { DnsRecords } from '../dns/dns-records.ts';
import { pageFact, readReadablePage } from '../page/page-lookups.ts';
import type { PageVisit } from '../page/page-visit.ts';
import type { SiteLookup } from '../site-lookup.ts';
import { homePageOf, type SiteTarget } from '../site-target.ts';

/** What the technologies of a site are recognized by. */
export interface TechnologyData {
  readonly visit: PageVisit;
  /** The records of the host that sent the page; null if they could not be read. */
  readonly dns: DnsRecords | null;
}

export const technologiesLookup: SiteLookup<TechnologyData> = {
  name: 'technologies',
  price: 3,
  workMs: 13,
  about: 'page',
  fact: pageFact,
  async read(reader, query, maxAge, request) {
    const visit = await readReadablePage(reader, query, maxAge, request);
    if ('problem' in visit) return visit;
    const target = hostThatSent(visit.data);
    const dns = target && (await reader.read(dnsFact, { target }, maxAge, request));
    return { ...visit, data: { visit: visit.data, dns: dns && 'data' in dns ? dns.data : null } };
  },
};

/** Returns the host that sent a page; undefined for an IP address. */
function hostThatSent({ finalUrl, requestedUrl }: PageVisit): SiteTarget | undefined {
  const { hostname } = new URL(finalUrl ?? requestedUrl);
  try {
    return homePageOf(parseDomainName(hostname));
  } catch {
    return undefined;
  }
}
