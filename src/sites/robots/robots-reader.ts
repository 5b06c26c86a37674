import type { RobotsFile, ContentSignal, RobotsGroup, RobotsRule } from './robots-file.ts';
import type { ReadFact } from '../site-facts.ts';
import { withPlainHttp } from '../site-problems.ts';
import type { SiteClient, SiteResponse } from '../site-client.ts';

/**
 * Creates the reader of the robots.txt of a page's origin. It rejects if the server could not be
 * reached, which callers must treat as `disallow_all` (RFC 9309 section 2.3.1.4).
 */
export function robotsReader({ client }: { readonly client: SiteClient }): ReadFact<RobotsFile> {
  return ({ target }, request) =>
    withPlainHttp(target, async (page) => {
      const url = new URL('/robots.txt', page);
      return toRobotsFile(url, await client.get(url, request));
    });
}

function toRobotsFile(
  requested: URL,
  { url, status, body, isTruncated }: SiteResponse,
): RobotsFile {
  const access = accessOf(status);
  const text = access === 'rules' ? new TextDecoder().decode(body) : '';

  // The last line of a part may be cut off, and would then apply to other paths.
  const parsed = parseRobots(isTruncated ? withoutLastLine(text) : text);
  return {
    url: requested.href,
    finalUrl: url.href,
    status,
    access,
    // The copies do not share memory with the text of the file, as substrings do.
    ...structuredClone(parsed),
    isTruncated: access === 'rules' && isTruncated,
  };
}

/** RFC 9309 section 2.3.1. 429 is a 4xx too. A redirect without a target is no file either. */
function accessOf(status: number): RobotsFile['access'] {
  if (status < 300) return 'rules';
  return status < 500 ? 'allow_all' : 'disallow_all';
}

function withoutLastLine(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'), 0));
}

type ParsedRobots = Pick<RobotsFile, 'groups' | 'sitemaps'>;

interface OpenGroup extends RobotsGroup {
  readonly userAgents: string[];
  readonly rules: RobotsRule[];
  readonly contentSignals: ContentSignal[];
  crawlDelay: number | null;
}

/**
 * Parses all of a robots.txt (RFC 9309 section 2.2). Unknown and invalid lines are ignored and end no
 * group. Takes linear time and never throws.
 */
export function parseRobots(text: string): ParsedRobots {
  const parser = new RobotsParser();
  for (const line of text.replace(/^\uFEFF/, '').split(/[\r\n]+/)) parser.readLine(line);
  return parser.result;
}

class RobotsParser {
  readonly #groups: OpenGroup[] = [];
  readonly #sitemaps: string[] = [];
  /** Whether another `User-agent` line starts a new group. */
  #hasRecords = true;

  get result(): ParsedRobots {
    return { groups: this.#groups, sitemaps: this.#sitemaps };
  }

  readLine(line: string): void {
    const [content = ''] = line.split('#', 1);
    const colon = content.indexOf(':');
    if (colon === -1) return;
    this.#read(content.slice(0, colon).trim().toLowerCase(), content.slice(colon + 1).trim());
  }

  #read(key: string, value: string): void {
    switch (key) {
      case 'user-agent':
        return this.#addUserAgent(value);
      case 'allow':
      case 'disallow':
        return this.#addRule({ type: key, path: value });
      case 'crawl-delay':
        return this.#setCrawlDelay(value);
      case 'content-signal':
        return this.#addSignals(value);
      case 'sitemap':
        if (/^https?:\/\//i.test(value)) this.#sitemaps.push(value);
    }
  }

  #addUserAgent(value: string): void {
    if (value === '') return;
    if (this.#hasRecords)
      this.#groups.push({ userAgents: [], rules: [], crawlDelay: null, contentSignals: [] });
    this.#hasRecords = false;
    this.#groups.at(-1)?.userAgents.push(value);
  }

  #addRule(rule: RobotsRule): void {
    this.#hasRecords = true;
    this.#groups.at(-1)?.rules.push(rule);
  }

  #setCrawlDelay(value: string): void {
    this.#hasRecords = true;
    const group = this.#groups.at(-1);
    if (group && /^\d{1,6}(?:\.\d{1,6})?$/.test(value)) group.crawlDelay ??= Number(value);
  }

  /** Reads `ai-train=no, search=yes`, optionally after a path. */
  #addSignals(value: string): void {
    this.#hasRecords = true;
    const [path = null] = /^\/\S*/.exec(value) ?? [];
    for (const part of value.slice(path?.length ?? 0).split(',')) {
      const [name = '', preference = '', ...more] = part.split('=').map((text) => text.trim());
      const isSignal = /^[a-z][a-z\d-]{0,49}$/i.test(name) && /^(?:yes|no)$/i.test(preference);
      const group = this.#groups.at(-1);
      if (!group || !isSignal || more.length > 0) continue;
      const isAllowed = preference.toLowerCase() === 'yes';
      group.contentSignals.push({ path, name: name.toLowerCase(), isAllowed });
    }
  }
}
