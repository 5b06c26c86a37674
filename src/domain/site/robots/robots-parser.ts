import type { ContentSignal, RobotsFile, RobotsGroup, RobotsRule } from './robots-file.ts';

type ParsedRobots = Pick<RobotsFile, 'groups' | 'sitemaps' | 'isTruncated'>;

interface OpenGroup extends RobotsGroup {
  readonly userAgents: string[];
  readonly rules: RobotsRule[];
  readonly contentSignals: ContentSignal[];
  crawlDelay: number | null;
}

/** Of `User-agent` lines, sitemaps and content signals, each in total. */
const maxEntries = 1000;
const maxRules = 10_000;
/** Of a value; longer lines are ignored. */
const maxValueLength = 2000;

/**
 * Parses a robots.txt (RFC 9309 section 2.2). Unknown and invalid lines are ignored and end no
 * group. `isTruncated`: the file has more entries than are kept. Never throws.
 */
export function parseRobots(text: string): ParsedRobots {
  const parser = new RobotsParser();
  for (const line of text.replace(/^\uFEFF/, '').split(/[\r\n]+/)) parser.readLine(line);
  return parser.result;
}

class RobotsParser {
  readonly #groups: OpenGroup[] = [];
  readonly #sitemaps: string[] = [];
  readonly #counts = { agent: 0, rule: 0, signal: 0, sitemap: 0 };
  /** Whether another `User-agent` line starts a new group. */
  #hasRules = true;
  #isTruncated = false;

  get result(): ParsedRobots {
    return { groups: this.#groups, sitemaps: this.#sitemaps, isTruncated: this.#isTruncated };
  }

  readLine(line: string): void {
    const [content = ''] = line.split('#', 1);
    const colon = content.indexOf(':');
    if (colon === -1) return;
    const value = content.slice(colon + 1).trim();
    if (value.length > maxValueLength) return;
    this.#read(content.slice(0, colon).trim().toLowerCase(), value);
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
        if (/^https?:\/\//i.test(value) && this.#hasCapacity('sitemap')) this.#sitemaps.push(value);
    }
  }

  #addUserAgent(value: string): void {
    if (value === '' || !this.#hasCapacity('agent')) return;
    if (this.#hasRules)
      this.#groups.push({ userAgents: [], rules: [], crawlDelay: null, contentSignals: [] });
    this.#hasRules = false;
    this.#groups.at(-1)?.userAgents.push(value);
  }

  #addRule(rule: RobotsRule): void {
    const group = this.#groups.at(-1);
    if (!group || !this.#hasCapacity('rule', maxRules)) return;
    this.#hasRules = true;
    group.rules.push(rule);
  }

  #setCrawlDelay(value: string): void {
    const group = this.#groups.at(-1);
    if (group && /^\d{1,6}(?:\.\d{1,6})?$/.test(value)) group.crawlDelay ??= Number(value);
  }

  /** Reads `ai-train=no, search=yes`, optionally after a path. */
  #addSignals(value: string): void {
    const [, path = null, list = ''] = /^(\/\S*)?\s*(.*)$/s.exec(value) ?? [];
    for (const part of list.split(',')) {
      const [name = '', preference = '', ...more] = part.split('=').map((text) => text.trim());
      const isSignal = /^[a-z][a-z\d-]{0,49}$/i.test(name) && /^(?:yes|no)$/i.test(preference);
      const group = this.#groups.at(-1);
      if (!group || !isSignal || more.length > 0 || !this.#hasCapacity('signal')) continue;
      const isAllowed = preference.toLowerCase() === 'yes';
      group.contentSignals.push({ path, name: name.toLowerCase(), isAllowed });
    }
  }

  #hasCapacity(kind: 'agent' | 'rule' | 'signal' | 'sitemap', max = maxEntries): boolean {
    this.#counts[kind] += 1;
    if (this.#counts[kind] > max) this.#isTruncated = true;
    return this.#counts[kind] <= max;
  }
}
