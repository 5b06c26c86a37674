import type { PageVisit } from '../page-visit.ts';

/** What a page tells crawlers about itself, unlike the robots.txt of its site. */
export interface PageRobots {
  /** The directives of `<meta name="robots">`, in lower case. */
  readonly meta: readonly string[];
  /** The directives of `X-Robots-Tag`, in lower case, with the crawler before them if one is named. */
  readonly header: readonly string[];
  /** Whether neither forbids all crawlers to index the page. */
  readonly indexable: boolean;
}

interface Directive {
  /** `*` for all. */
  readonly crawler: string;
  readonly text: string;
}

const maxDirectives = 50;
const maxDirectiveLength = 200;

/** Directives with a value: the word before their colon is not the name of a crawler. */
const valued = new Set([
  'unavailable_after',
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
]);

/** Returns the directives of a page for crawlers. */
export function robotsOf({ document, headers }: PageVisit): PageRobots {
  const contents = (document?.metas ?? [])
    .filter(({ key }) => key === 'robots')
    .map(({ content }) => content.slice(0, maxDirectives * maxDirectiveLength));
  const meta = contents.flatMap(partsOf).slice(0, maxDirectives);
  const header = directivesOf(headers['x-robots-tag'] ?? '');
  const forAll = header.filter(({ crawler }) => crawler === '*').map(({ text }) => text);
  return {
    meta,
    header: header.map(({ crawler, text }) => (crawler === '*' ? text : `${crawler}: ${text}`)),
    indexable: ![...meta, ...forAll].some((text) => text === 'noindex' || text === 'none'),
  };
}

/**
 * Parses `X-Robots-Tag`. The name of a crawler applies to the directives after it, up to the next
 * name. Where a header was repeated, a line without a name after one with a name is read
 * like its continuation.
 */
function directivesOf(value: string): readonly Directive[] {
  const directives: Directive[] = [];
  let crawler = '*';
  for (const part of partsOf(value)) {
    const colon = part.indexOf(':');
    const name = part.slice(0, Math.max(colon, 0)).trim();
    if (colon === -1 || valued.has(name)) {
      directives.push({ crawler, text: part });
      continue;
    }
    crawler = name;
    const text = part.slice(colon + 1).trim();
    if (text !== '') directives.push({ crawler, text });
  }
  return directives.slice(0, maxDirectives);
}

function partsOf(value: string): readonly string[] {
  return value
    .split(',')
    .map((part) => part.trim().toLowerCase().slice(0, maxDirectiveLength))
    .filter((part) => part !== '');
}
