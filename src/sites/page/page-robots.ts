import type { PageVisit } from './page-visit.ts';

/** What a page declares for crawlers about itself, unlike the robots.txt of its site. */
export interface PageRobots {
  /** The directives of `<meta name="robots">`, in lower case. */
  readonly meta: readonly string[];
  /** The directives of `X-Robots-Tag`, in lower case, with the crawler before them if one is named. */
  readonly header: readonly string[];
  /** Whether neither forbids all crawlers to index the page; null if it is unknown without HTML. */
  readonly indexable: boolean | null;
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
 * Returns the directives of a page for crawlers. `visitedAt`: the time of the visit in epoch ms, with
 * which `unavailable_after` is compared.
 */
export function pageRobotsOf({ document, headers }: PageVisit, visitedAt: number): PageRobots {
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
