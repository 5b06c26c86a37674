import { identityOf, linkedUrl, metaText } from './identity-of.ts';
import { shortText } from './page-text.ts';
import type { PageDocument, PageVisit } from './page-visit.ts';

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
 * Returns what a visited page declares for search engines, previews and browsers. URLs are absolute;
 * texts and lists are bounded. `visitedAt`: the time of the visit in epoch ms.
 */
export function pageSummaryOf(visit: PageVisit, visitedAt: number) {
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

interface Directive {
  /** `*` for all. */
  readonly crawler: string;
  readonly text: string;
}

const maxDirectives = 50;
const maxDirectiveLength = 200;

/** Directives with a value: the word before their colon is not the name of a crawler. */
const directivesWithValue = new Set([
  'unavailable_after',
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
]);

/**
 * Returns the directives of a page for crawlers, unlike those of the robots.txt of its site. In
 * `header`, a crawler stands before its directives. `indexable` is null if it is unknown without
 * HTML. `visitedAt`: the time of the visit in epoch ms, with which `unavailable_after` is compared.
 */
function pageRobotsOf({ document, headers }: PageVisit, visitedAt: number) {
  const contents = (document?.metas ?? [])
    .filter(({ key }) => key === 'robots')
    .map(({ content }) => content.slice(0, maxDirectives * maxDirectiveLength));
  const meta = contents.flatMap(partsOf).slice(0, maxDirectives);
  const header = headerDirectives(headers['x-robots-tag'] ?? '').slice(0, maxDirectives);
  const forAll = header.filter(({ crawler }) => crawler === '*').map(({ text }) => text);
  const isForbidden = [...meta, ...forAll].some((text) => forbidsIndexing(text, visitedAt));

  return {
    meta,
    header: header.map(({ crawler, text }) => (crawler === '*' ? text : `${crawler}: ${text}`)),
    indexable: isForbidden ? false : document ? true : null,
  };
}

function forbidsIndexing(directive: string, now: number): boolean {
  if (directive === 'noindex' || directive === 'none') return true;
  const [, date] = /^unavailable_after:(.*)$/.exec(directive) ?? [];
  return date !== undefined && Date.parse(date.trim()) <= now;
}

/** Parses the lines of `X-Robots-Tag`. */
function headerDirectives(lines: string): readonly Directive[] {
  return lines.split('\n').flatMap(lineDirectives);
}

/** Parses a line. The name of a crawler applies to the directives after it, up to the next name. */
function lineDirectives(line: string): readonly Directive[] {
  const directives: Directive[] = [];
  let crawler = '*';
  for (const part of partsOf(line)) {
    const [, name, rest = ''] = /^([a-z][\w-]*|\*)\s*:(.*)$/.exec(part) ?? [];
    if (name === undefined || directivesWithValue.has(name)) {
      directives.push({ crawler, text: part });
      continue;
    }

    crawler = name;
    const text = rest.trim();
    if (text !== '') directives.push({ crawler, text });
  }

  return directives;
}

function partsOf(value: string): readonly string[] {
  const parts: string[] = [];
  for (const untrimmed of value.split(',')) {
    const part = untrimmed.trim().toLowerCase().slice(0, maxDirectiveLength);
    const last = parts.at(-1);
    // The comma after the weekday is part of an HTTP date.
    if (last !== undefined && /unavailable_after:\s*[a-z]{3,9}$/.test(last))
      parts[parts.length - 1] = `${last}, ${part}`;
    else if (part !== '') parts.push(part);
  }

  return parts;
}
