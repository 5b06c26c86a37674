import type { LinkElement, PageDocument, AnchorSummary, MetaElement } from './page-visit.ts';
import { webUrl, cleanText, PageBudget } from './page-text.ts';
import { readHtml, type Attributes, type HtmlHandler } from './html-tokens.ts';
import { StructuredDataCollector } from './json-ld.ts';
import { isProfileLink } from './social-platforms.ts';
import { registrableDomain } from '../site-target.ts';
import { getOrInsert } from '../../shared/memoize.ts';

const maxLinks = 200;
const maxScripts = 300;
/** Further URLs of a page are not parsed: 26,000 relative ones with a long base take 100 ms. */
const maxUrls = 5000;

interface PageContext {
  readonly url: URL;
  /** The `Content-Language` header. */
  readonly contentLanguage: string | undefined;
  readonly isTruncated: boolean;
}

/** Returns what the HTML of a page declares. Takes linear time and never throws. */
export function parsePage(html: string, context: PageContext): PageDocument {
  const parser = new PageParser(context);
  readHtml(html, parser);
  // The copies do not share memory with the text of the page, as substrings do.
  return structuredClone(parser.document);
}

class PageParser implements HtmlHandler {
  readonly #context: PageContext;
  readonly #budget = new PageBudget();
  readonly #anchors: AnchorCollector;
  readonly #structuredData = new StructuredDataCollector();
  readonly #metas = new MetaCollector(this.#budget);
  readonly #links: LinkElement[] = [];
  readonly #scripts: string[] = [];
  readonly #tools = new ToolCollector(this.#budget);
  #base: URL;
  #hasBase = false;
  #urls = 0;
  #language: string | undefined;
  #title: string | undefined;
  #svgDepth = 0;
  #templateDepth = 0;
  /** The element whose text is read. */
  #open: 'title' | 'script' | 'json-ld' | undefined;
  #text = '';

  constructor(context: PageContext) {
    this.#context = context;
    this.#base = context.url;
    this.#anchors = new AnchorCollector(context.url, this.#budget);
  }

  get document(): PageDocument {
    const { contentLanguage = '' } = this.#context;
    // A header with several languages does not say which one the page has.
    const served = contentLanguage.includes(',') ? '' : contentLanguage;
    const language = cleanText(this.#language || served);
    const { types, items, parseErrors } = this.#structuredData;

    return {
      language: language.slice(0, 100) || null,
      title: this.#title || null,
      metas: this.#metas.metas,
      links: this.#links,
      anchors: this.#anchors.summary,
      scripts: this.#scripts,
      structuredData: { types, items, parseErrors },
      isTruncated: this.#context.isTruncated || this.#urls > maxUrls,
      webMcp: this.#tools.tools,
    };
  }

  onStartTag(name: string, attributes: Attributes): void {
    if (name === 'template') this.#openTemplate(attributes);
    // The content of a template is not part of the page.
    if (this.#templateDepth > 0) return;
    this.#addItemTypes(attributes);
    this.#readers[name]?.(attributes);
  }

  onText(text: string): void {
    if (this.#open) this.#text += text;
  }

  onEndTag(name: string): void {
    if (name === 'svg') this.#svgDepth = Math.max(this.#svgDepth - 1, 0);
    if (name === 'template') this.#templateDepth = Math.max(this.#templateDepth - 1, 0);
    if (name !== 'title' && name !== 'script') return;

    const text = this.#text;
    if (this.#open === 'title') this.#title = cleanText(text);
    if (this.#open === 'json-ld') this.#structuredData.addJsonLd(text);
    if (this.#open === 'script') this.#tools.addScript(text);
    this.#open = undefined;
    this.#text = '';
  }

  readonly #readers: Readonly<Record<string, ((attributes: Attributes) => void) | undefined>> = {
    // A table without prototype: `constructor` is a possible tag name.
    __proto__: null as never,
    html: (attributes) => (this.#language ??= attributes.get('lang')),
    base: (attributes) => this.#setBase(attributes.get('href')),
    title: () => this.#openTitle(),
    svg: () => (this.#svgDepth += 1),
    meta: (attributes) => this.#metas.add(attributes),
    link: (attributes) => this.#addLink(attributes),
    a: (attributes) => this.#addAnchor(attributes),
    script: (attributes) => this.#openScript(attributes),
    form: (attributes) => this.#tools.addForm(attributes),
  };

  /** A declarative shadow root is part of the page. */
  #openTemplate(attributes: Attributes): void {
    if (this.#templateDepth > 0 || !attributes.has('shadowrootmode')) this.#templateDepth += 1;
  }

  /** With `itemprop`, an item is a property of another, such as its author. */
  #addItemTypes(attributes: Attributes): void {
    if (attributes.has('itemprop')) return;
    for (const type of words(attributes.get('itemtype')))
      if (/^https?:\/\/(?:www\.)?schema\.org\//i.test(type)) this.#structuredData.addType(type);
  }

  #setBase(href: string | undefined): void {
    if (href === undefined || this.#hasBase) return;
    this.#hasBase = true;
    this.#base = webUrl(href, this.#context.url.href) ?? this.#context.url;
  }

  #openTitle(): void {
    if (this.#title === undefined && this.#svgDepth === 0) this.#open = 'title';
  }

  #addLink(attributes: Attributes): void {
    const rel = words(attributes.get('rel')?.toLowerCase()).slice(0, 10);
    const url = this.#urlOf(attributes.get('href') || undefined)?.href;
    if (!url || rel.length === 0) return;

    const [type, sizes] = ['type', 'sizes'].map(
      (name) => cleanText(attributes.get(name) ?? '').slice(0, 100) || null,
    );
    const link = { rel, url, type: type ?? null, sizes: sizes ?? null };

    this.#budget.add(this.#links, maxLinks, link, url, ...rel);
  }

  #addAnchor(attributes: Attributes): void {
    const url = this.#urlOf(attributes.get('href'));
    if (url) this.#anchors.add(url, words(attributes.get('rel')?.toLowerCase()));
  }

  #openScript(attributes: Attributes): void {
    const url = this.#urlOf(attributes.get('src') || undefined)?.href;
    if (url) this.#budget.add(this.#scripts, maxScripts, url, url);
    this.#open = scriptKind(attributes);
    this.#text = '';
  }

  #urlOf(text: string | undefined): URL | undefined {
    if (text === undefined) return undefined;
    this.#urls += 1;
    return (this.#urls <= maxUrls && webUrl(text, this.#base.href)) || undefined;
  }
}

function words(text = ''): readonly string[] {
  return text.slice(0, 1000).split(/\s+/).filter(Boolean);
}

/** The types of scripts that a browser runs. */
const scriptType = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/;

/** Returns what the text of a script is; undefined for data other than JSON-LD. */
function scriptKind(attributes: Attributes): 'script' | 'json-ld' | undefined {
  const type = attributes.get('type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/ld+json') return 'json-ld';
  return !type || scriptType.test(type) ? 'script' : undefined;
}

const maxProfiles = 100;

/** Counts the links of a page, and collects those to profiles. */
class AnchorCollector {
  readonly #domain: string;
  readonly #budget: PageBudget;
  readonly #relMe: string[] = [];
  readonly #profiles: string[] = [];
  readonly #seen = new Set<string>();
  /** Whether a host is of the same site: a page links to few hosts, each many times. */
  readonly #isInternalByHost = new Map<string, boolean>();
  #internal = 0;
  #external = 0;

  constructor(page: URL, budget: PageBudget) {
    this.#domain = registrableDomain(page.hostname);
    this.#budget = budget;
  }

  get summary(): AnchorSummary {
    return {
      total: this.#internal + this.#external,
      internal: this.#internal,
      external: this.#external,
      relMe: this.#relMe,
      profiles: this.#profiles,
    };
  }

  add(url: URL, rel: readonly string[]): void {
    if (this.#isInternal(url.hostname)) this.#internal += 1;
    else this.#external += 1;
    const isMe = rel.includes('me');
    if (this.#seen.has(url.href) || !(isMe || isProfileLink(url))) return;
    this.#seen.add(url.href);
    this.#budget.add(isMe ? this.#relMe : this.#profiles, maxProfiles, url.href, url.href);
  }

  #isInternal(host: string): boolean {
    const compare = () => registrableDomain(host) === this.#domain;
    return getOrInsert(this.#isInternalByHost, host, compare);
  }
}

const maxMetas = 200;
const maxRobotsLength = 10_000;

/** A key of contact data. The app links of Windows Phone have `windows_phone` in their keys. */
const contactKey =
  /(?:^|[:.-]|(?<!windows)_)(?:(?:phone|telephone)(?:number)?|fax(?:number)?|e-?mail(?:address)?|reply-to)(?:$|[:._-])/;

/** Collects the `<meta>` of a page, without contact data. */
class MetaCollector {
  readonly metas: MetaElement[] = [];
  readonly #budget: PageBudget;
  /** A page must not be able to hide `noindex` behind other elements. */
  readonly #robotsBudget = new PageBudget(maxRobotsLength);

  constructor(budget: PageBudget) {
    this.#budget = budget;
  }

  /** Adds an entry for each name: `<meta name="image" property="og:image">` has two. */
  add(attributes: Attributes): void {
    const content = cleanText(attributes.get('content') ?? '');
    const keys = new Set(['name', 'property', 'http-equiv'].map((name) => keyIn(attributes, name)));
    keys.delete('');
    if (content === '' || [...keys].some((key) => contactKey.test(key))) return;

    for (const key of keys) {
      const isRobots = key === 'robots';
      const budget = isRobots ? this.#robotsBudget : this.#budget;
      const max = isRobots ? Infinity : maxMetas;
      budget.add(this.metas, max, { key, content }, key, content);
    }
  }
}

function keyIn(attributes: Attributes, name: string): string {
  return cleanText(attributes.get(name) ?? '')
    .slice(0, 200)
    .toLowerCase();
}

const maxTools = 20;

/** Collects the evidence of WebMCP tools: attributes of forms, and calls in scripts. */
class ToolCollector {
  readonly tools: string[] = [];
  readonly #budget: PageBudget;

  constructor(budget: PageBudget) {
    this.#budget = budget;
  }

  addForm(attributes: Attributes): void {
    const name = attributes.get('toolname');
    if (name !== undefined) this.#add(`form toolname=${cleanText(name).slice(0, 100)}`);
    else if (attributes.has('toolautosubmit')) this.#add('form toolautosubmit');
  }

  addScript(text: string): void {
    if (text.includes('navigator.modelContext')) this.#add('script navigator.modelContext');
  }

  #add(evidence: string): void {
    if (!this.tools.includes(evidence)) this.#budget.add(this.tools, maxTools, evidence, evidence);
  }
}
