import { identityOf, linkedUrl, metaText } from './identity-of.ts';
import type { PageDocument, PageVisit } from './page-visit.ts';
import { pageRobotsOf, type PageRobots } from './page-robots.ts';
import type { SocialProfile } from './site-identity.ts';
import { shortText } from './declared-text.ts';

/** What a page declares for search engines, previews and browsers. */
export interface PageSummary {
  readonly description: string | null;
  readonly canonicalUrl: string | null;
  readonly faviconUrl: string | null;
  readonly previewImageUrl: string | null;
  readonly manifestUrl: string | null;
  readonly themeColor: string | null;
  /** The first content of each property, without the prefix `og:`; null without HTML. */
  readonly openGraph: Readonly<Record<string, string>> | null;
  /** The first content of each property, without the prefix `twitter:`; null without HTML. */
  readonly twitterCard: Readonly<Record<string, string>> | null;
  /** Null without a response. */
  readonly robots: PageRobots | null;
  /** The security headers that are present, by lower-case name; null without a response. */
  readonly securityHeaders: Readonly<Record<string, string>> | null;
  readonly profiles: readonly SocialProfile[];
}

const maxProperties = 50;
const maxDescriptionLength = 1000;
/** The longest URL in a visit: a shortened one would lead elsewhere. */
const maxValueLength = 2048;

const securityHeaderNames = [
  'strict-transport-security',
  'content-security-policy',
  'content-security-policy-report-only',
  'x-frame-options',
  'x-content-type-options',
  'referrer-policy',
  'permissions-policy',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
];

/**
 * Returns what a visited page declares. URLs are absolute; texts and lists are bounded. `visitedAt`:
 * the time of the visit in epoch ms.
 */
export function pageSummaryOf(visit: PageVisit, visitedAt: number): PageSummary {
  const { document, finalUrl } = visit;
  const { favicon, previewImage, manifestUrl, themeColor, profiles } = identityOf(visit);
  return {
    description: descriptionOf(visit),
    canonicalUrl: document && linkedUrl(document, 'canonical', finalUrl),
    faviconUrl: favicon?.url ?? null,
    previewImageUrl: previewImage?.url ?? null,
    manifestUrl,
    themeColor,
    openGraph: document && properties(document, 'og:'),
    twitterCard: document && properties(document, 'twitter:'),
    robots: visit.status === null ? null : pageRobotsOf(visit, visitedAt),
    securityHeaders: visit.status === null ? null : securityHeadersOf(visit),
    profiles,
  };
}

/** Returns the declared description of a page. */
export function descriptionOf({ document }: PageVisit): string | null {
  if (!document) return null;
  return (
    metaText(document, 'description', maxDescriptionLength) ??
    metaText(document, 'og:description', maxDescriptionLength)
  );
}

function properties({ metas }: PageDocument, prefix: string): Record<string, string> {
  const found = new Map<string, string>();
  for (const { key, content } of metas) {
    const name = key.startsWith(prefix) ? shortText(key.slice(prefix.length), 100) : null;
    const value = name === null || found.has(name) ? null : shortText(content, maxValueLength);
    if (name === null || value === null) continue;
    found.set(name, value);
    if (found.size === maxProperties) break;
  }
  return Object.fromEntries(found);
}

function securityHeadersOf({ headers }: PageVisit): Record<string, string> {
  return Object.fromEntries(
    securityHeaderNames.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
