import * as v from 'valibot';
import type { BootstrapInfo } from '../../domain/catalogue.ts';
import { parseSuffix } from '../../domain/names/domain-name.ts';
import { once } from '../../shared/memoize.ts';
import { readJson } from '../rdap/json.ts';
import { asInstant } from '../rdap/timestamp.ts';
import table from './bootstrap-table.json' with { type: 'json' };
import { DocumentLoader, type LoaderOptions } from './document-loader.ts';

/** The RDAP service of one entry of a bootstrap document. */
export interface Service {
  /** Equivalent base URLs, each ending with a slash. */
  readonly baseUrls: readonly [string, ...string[]];
  /** Whether the server's "not found" is trusted. */
  readonly trust404: boolean;
  /**
   * Whether IANA lists the server, or the operator is responsible for it. Otherwise its "not found"
   * counts only while it finds a canary of the same TLD, and if the DNS confirms it.
   */
  readonly isListed: boolean;
}

/**
 * Services by entry, in lower-case A-labels. The longest match wins; the root is the empty string.
 */
export type Services = ReadonlyMap<string, Service>;

// Unknown members are ignored (RFC 9224 section 3).
const documentShape = v.object({
  services: v.array(v.pipe(v.array(v.array(v.string())), v.minLength(2))),
  trust404: v.optional(v.array(v.string())),
});

/**
 * Parses an RFC 9224 document whose servers are trusted, such as IANA's. Throws an Error with the
 * reason.
 */
export function readBootstrap(document: unknown): Services {
  return readServices(parseDocument(document), () => true);
}

/** Returns the `publication` date of a document (RFC 9224 section 3) in UTC; null without one. */
export function publicationOf(document: unknown): string | null {
  const parsed = v.safeParse(v.object({ publication: v.string() }), document);
  return (parsed.success && asInstant(parsed.output.publication)) || null;
}

/**
 * Parses overrides, which have the same format. A "not found" is trusted only for entries listed in
 * `trust404`. Throws an Error with the reason.
 */
export function readOverrides(document: unknown): Services {
  const parsed = parseDocument(document);
  const trusted = new Set(parsed.trust404?.map(toEntry));
  return readServices(parsed, (entry) => trusted.has(entry));
}

/** Parses the form that all RFC 9224 documents share. Throws an Error with the reason. */
export function parseDocument(document: unknown): v.InferOutput<typeof documentShape> {
  const parsed = v.safeParse(documentShape, document);
  if (!parsed.success)
    throw new Error(
      'not an RFC 9224 document; expected {"version":"1.0","services":[[["tld"],["https://…/"]]]}',
    );
  return parsed.output;
}

function readServices(
  document: v.InferOutput<typeof documentShape>,
  trusts404: (entry: string) => boolean,
): Services {
  const ofNames = document.services.map((lists) => lists.slice(0, 2));
  return readEntries(ofNames, (text, baseUrls) => {
    const entry = toEntry(text);
    if (entry === undefined) return undefined;
    return [entry, { baseUrls, trust404: trusts404(entry), isListed: true }];
  });
}

/**
 * Reads the entries of all services. One invalid entry, or a service without a usable URL, must not
 * invalidate the others. The last two lists of a service are its entries and its URLs; in front of
 * them, object tags have the contacts of the registrant. Throws an Error without any entry.
 */
export function readEntries<T>(
  services: readonly (readonly (readonly string[])[])[],
  read: (entry: string, baseUrls: Service['baseUrls']) => readonly [string, T] | undefined,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const lists of services) {
    const baseUrls = toBaseUrls(lists.at(-1) ?? []);
    if (!baseUrls) continue;

    for (const entry of lists.at(-2) ?? []) {
      const service = read(entry, baseUrls);
      if (service) found.set(...service);
    }
  }

  if (found.size === 0) throw new Error('the document names no server');
  return found;
}

function toEntry(text: string): string | undefined {
  if (text === '' || builtInEntries.has(text)) return text;
  try {
    return parseSuffix(text);
  } catch {
    return undefined; // one invalid entry must not invalidate the others
  }
}

/** Entries of the built-in table. They are valid, and parsing A-labels is slow. */
const builtInEntries = new Set(table.services.flatMap(([entries = []]) => entries));

/**
 * Returns the usable base URLs; undefined without one. A service that has HTTPS is never queried
 * over plain HTTP instead.
 */
export function toBaseUrls(urls: readonly string[]): readonly [string, ...string[]] | undefined {
  const usable = urls.flatMap(toBaseUrl);
  const secure = usable.filter((url) => url.startsWith('https:'));
  const [first, ...others] = secure.length > 0 ? secure : usable;
  return first === undefined ? undefined : [first, ...others];
}

/** Returns a normalized base URL, or nothing if the text is not one. */
export function toBaseUrl(text: string): string[] {
  if (!URL.canParse(text)) return [];

  const url = new URL(text);
  const isUsable =
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    !url.username &&
    !url.password &&
    !url.search &&
    !url.hash;

  return isUsable ? [url.href.endsWith('/') ? url.href : `${url.href}/`] : [];
}

const ianaUrl = 'https://data.iana.org/rdap/dns.json';

/** Loads the bootstrap document (RFC 9224). */
export class BootstrapLoader extends DocumentLoader<Services> {
  readonly #url: string;

  /** Starts loading the document. */
  constructor(options: LoaderOptions) {
    const { url } = options;
    const type = {
      name: 'bootstrap document',
      storeKey: `bootstrap:${url}`,
      mediaType: 'application/json',
      decode: readJson,
      parse: readBootstrap,
      builtIn: once(() => readBootstrap(table)),
      isBuiltInCopy: url === ianaUrl,
    };
    super(type, options);
    this.#url = url;
  }

  /** Returns the source of the current services. */
  info(): BootstrapInfo {
    const { document } = this;
    return {
      source: document === undefined ? 'built-in' : publicSource(this.#url),
      publishedAt: publicationOf(document ?? table),
    };
  }
}

/**
 * Returns a URL without the parts that clients must not see: the path of a file, or a query string,
 * which may contain a secret.
 */
function publicSource(url: string): string {
  const { protocol, origin, pathname } = new URL(url);
  return protocol === 'file:' ? 'file' : `${origin}${pathname}`;
}
