import * as v from 'valibot';
import { parseSuffix } from '../domain/domain-name.ts';
import { asInstant } from '../sources/rdap/parser/timestamp.ts';
import table from './bootstrap-table.json' with { type: 'json' };

/** Who answers for the names under one entry of a bootstrap document. */
export interface Service {
  /** Equivalent base URLs, HTTPS first, each ending with a slash. */
  readonly baseUrls: readonly [string, ...string[]];
  /** Whether the server's "not found" is believed. */
  readonly trust404: boolean;
}

/** By entry: lower-case A-labels, the longest match wins; the root is the empty string. */
export type Services = ReadonlyMap<string, Service>;

// RFC 9224 section 3: members that are not understood are ignored.
const documentShape = v.object({
  services: v.array(v.pipe(v.array(v.array(v.string())), v.minLength(2))),
  trust404: v.optional(v.array(v.string())),
});

/** Reads an RFC 9224 document; IANA's word is believed. Throws an Error that says what is wrong with it. */
export function readBootstrap(document: unknown): Services {
  return readServices(parse(document), () => true);
}

/** Returns when a document was published, as it says itself (RFC 9224 section 3), in UTC; null if it does not say. */
export function publicationOf(document: unknown): string | null {
  const parsed = v.safeParse(v.object({ publication: v.string() }), document);
  return (parsed.success && asInstant(parsed.output.publication)) || null;
}

/** Reads overrides, which have the same form: a "not found" is believed only of the servers of entries listed in `trust404`. */
export function readOverrides(document: unknown): Services {
  const parsed = parse(document);
  const trusted = new Set(parsed.trust404?.map(toEntry));
  return readServices(parsed, (entry) => trusted.has(entry));
}

function parse(document: unknown): v.InferOutput<typeof documentShape> {
  const parsed = v.safeParse(documentShape, document);
  if (!parsed.success)
    throw new Error(
      'it is no RFC 9224 document: {"version":"1.0","services":[[["tld"],["https://…/"]]]}',
    );
  return parsed.output;
}

function readServices(
  document: v.InferOutput<typeof documentShape>,
  trusts404: (entry: string) => boolean,
): Services {
  const services = new Map<string, Service>();
  for (const [entries = [], urls = []] of document.services) {
    const [first, ...others] = urls.flatMap(toBaseUrl).toSorted(httpsFirst);
    if (first === undefined) continue;
    for (const entry of entries.map(toEntry)) {
      if (entry !== undefined)
        services.set(entry, { baseUrls: [first, ...others], trust404: trusts404(entry) });
    }
  }
  if (services.size === 0) throw new Error('it names no server');
  return services;
}

function toEntry(text: string): string | undefined {
  if (text === '' || builtInEntries.has(text)) return text;
  try {
    return parseSuffix(text);
  } catch {
    return undefined; // one odd entry must not cost the others their registry
  }
}

/** The entries of the table in the repository: they were read when it was made, and of A-labels that takes a while. */
const builtInEntries = new Set(table.services.flatMap(([entries = []]) => entries));

function toBaseUrl(text: string): string[] {
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

function httpsFirst(a: string, b: string): number {
  return Number(b.startsWith('https:')) - Number(a.startsWith('https:'));
}
