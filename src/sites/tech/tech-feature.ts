import * as shape from '../../api/rest/shape.ts';
import { parseDomainName } from '../../domain/names/domain-name.ts';
import { mapOutcome } from '../../domain/outcome.ts';
import { skipCache } from '../../server/messages/deprecations.ts';
import { dnsFact } from '../dns/dns-feature.ts';
import type { DnsRecords } from '../dns/dns-records.ts';
import { pageFact, readReadablePage } from '../page/page-feature.ts';
import type { PageVisit } from '../page/page-visit.ts';
import { readProblems, siteEndpoint, totalTime } from '../site-endpoint.ts';
import { resultField, type Feature } from '../site-field.ts';
import type { SiteLookup } from '../site-lookup.ts';
import { homePageOf, type SiteTarget } from '../site-target.ts';
import { detectTechnologies, summarizeTechnologies } from './detect-technologies.ts';

/** What the technologies of a site are recognized by. */
export interface TechnologyData {
  readonly visit: PageVisit;
  /** The records of the host that sent the page; null if they could not be read. */
  readonly dns: DnsRecords | null;
}

const lookup: SiteLookup<TechnologyData> = {
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

interface Technologies {
  readonly technologies: readonly Technology[];
  readonly url: string | null;
  readonly summary: object | null;
}

interface Technology {
  readonly evidence_details: readonly Evidence[];
}

interface Evidence {
  readonly source: string;
  readonly matched: string;
}

/** Sources that the public API has by another name. */
const signals: Readonly<Record<string, string>> = {
  script: 'asset_url',
  link: 'html',
  host: 'url',
};
const sourceText =
  '`header`, `cookie`, `meta`, `asset_url` (of a script), `html` (a `<link>`), `url` (its host), `cname`, `nameserver` or `implied` (another detected technology requires it). Values may be added.';

/** The body has the purposes with a product. */
const purposes = shape.known('cdn', 'server', 'framework', 'cms', 'hosting');

/** `GET /v1/tech`: the products that a page shows that it uses. */
const endpoint = siteEndpoint<Technologies>('/v1/tech', {
  lookup,
  summary: 'Recognize the technologies of a page',
  description:
    'Recognizes well-known products by headers, cookies, HTML and DNS records, each with its evidence. Scripts are not run.',
  target: 'domain or url',
  problems: readProblems,
  unsupported: {
    mode: { accepts: ['fast'], detail: 'one page is read, as with `fast`.' },
    max_pages: { accepts: ['1'], detail: 'one page is read.' },
  },
  aliases: { skip_cache: skipCache },
  selection: `
    technologies {
      id: technologyId name category version evidence_details: evidence { source key matched }
    }
    url: finalUrl
    summary { cdn server framework cms hosting analytics }
    headers
  `,
  name: 'TechnologiesBody',
  keepsResult: true,
  members: {
    technologies: shape.items('technologies', 'Technology', {
      ...shape.known('version'),
      evidence: shape.text(
        'The texts that were recognized.',
        ({ evidence_details: all }: Technology) => all.map(({ matched }) => matched).join('; '),
      ),
      source_count: shape.count(
        'Number of different sources in `evidence_details`.',
        ({ evidence_details: all }: Technology) => new Set(all.map(({ source }) => source)).size,
      ),
      evidence_details: shape.items('evidence_details', 'TechnologyEvidence', {
        ...shape.known('key'),
        source: [
          ({ properties }) => ({ ...properties['source'], description: sourceText }),
          ({ source }: Evidence) => signals[source] ?? source,
        ],
      }),
    }),
    summary: [
      ({ properties, types }) => {
        shape.changeType(types, 'TechnologySummary', purposes);
        return { ...properties['summary'] };
      },
      ({ summary }) => summary && shape.change(summary, purposes),
    ],
    ssl: shape.object({
      enabled: shape.flag(
        'Whether `url` is an `https:` URL.',
        ({ url }) => url?.startsWith('https:') === true,
      ),
    }),
    total_time_ms: totalTime,
  },
});

/** The feature `technologies`: the products that a page and the records of its server show. */
export const technologies = {
  lookup,
  field: resultField('Technologies', lookup, (outcome) =>
    mapOutcome(outcome, (data) => {
      const { finalUrl, headers } = data.visit;
      const found = detectTechnologies(data);
      return { finalUrl, headers, found, summary: summarizeTechnologies(found) };
    }),
  ),
  endpoints: [endpoint],
} satisfies Feature;
