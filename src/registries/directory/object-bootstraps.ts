import {
  addressBits,
  formatIpBlock,
  parseIpBlock,
  type IpBlock,
} from '../../domain/names/ip-address.ts';
import {
  maxAutnum,
  type AutnumRef,
  type EntityRef,
  type IpRef,
  type ReverseZoneRef,
} from '../../domain/object-ref.ts';
import { Problem } from '../../domain/problems.ts';
import { derived, once } from '../../shared/memoize.ts';
import { readJson } from '../rdap/json.ts';
import { parseDocument, readEntries } from './bootstrap-parser.ts';
import { DocumentLoader, type LoaderOptions } from './document-loader.ts';
import tables from './object-tables.json' with { type: 'json' };
import { specialUseOfAutnum, specialUseOfNetwork, type SpecialUse } from './special-use.ts';

/** The servers of an object, or why there is none: `special_use` or `no_registry`. */
type ObjectServers = { readonly baseUrls: BaseUrls } | { readonly problem: Problem };

/** Equivalent base URLs, HTTPS first, each ending with a slash. */
type BaseUrls = readonly [string, ...string[]];

interface ObjectService {
  readonly baseUrls: BaseUrls;
  /** The addresses or AS numbers, both ends included; absent for a tag. */
  readonly range?: Range;
}

type Range = readonly [first: bigint, last: bigint];

/** Services by entry, in canonical form: `192.0.2.0/24`, `64496-64511`, `ARIN`. */
type Services = ReadonlyMap<string, ObjectService>;

/** The documents, each a file beside `dns.json`. */
export const objectDocuments = {
  ipv4: { file: 'ipv4.json', read: (document: unknown) => readIpBootstrap(document, 4) },
  ipv6: { file: 'ipv6.json', read: (document: unknown) => readIpBootstrap(document, 6) },
  asn: { file: 'asn.json', read: readAsnBootstrap },
  // There are few tags, so that a single one is a large share of them.
  objectTags: { file: 'object-tags.json', read: readObjectTags, maxLostShare: 0.5 },
};

type Kind = keyof typeof objectDocuments;

/**
 * Finds the servers of IP networks, AS numbers and entities (RFC 9224, RFC 8521). A nameserver is
 * looked up at the registry of its TLD.
 */
export class ObjectBootstraps {
  /** Settles after the first attempts to load the documents, or after two seconds. Never rejects. */
  readonly settled: Promise<unknown>;
  readonly #loaders: ReadonlyMap<Kind, DocumentLoader<Services>>;
  /** Return the origins of the current servers. */
  readonly #origins: readonly (() => ReadonlySet<string>)[];

  /** Starts loading the documents, which are in the same folder as `dns.json` at `url`. */
  constructor(options: LoaderOptions) {
    const kinds = Object.keys(objectDocuments) as Kind[];
    this.#loaders = new Map(kinds.map((kind) => [kind, load(options, kind)]));

    const loaders = Array.from(this.#loaders.values());
    this.settled = Promise.all(loaders.map(({ settled }) => settled));
    this.#origins = loaders.map((loader) => derived(() => loader.current(), originsOf));
  }

  /**
   * Returns the servers of an object, or a problem without querying any: `special_use` for a
   * reserved address or number, `no_registry` if no server is known.
   */
  resolve(ref: IpRef | AutnumRef | EntityRef | ReverseZoneRef): ObjectServers {
    switch (ref.type) {
      case 'ip':
        return this.#resolveNetwork(ref.ip, parseIpBlock(ref.ip));
      case 'reverse_zone':
        return this.#resolveNetwork(ref.name, ref.network);
      case 'autnum':
        return this.#resolveAutnum(ref);
      case 'entity':
        return this.#resolveEntity(ref);
    }
  }

  /** Returns whether a document names a server of this origin. */
  names(origin: string): boolean {
    return this.#origins.some((origins) => origins().has(origin));
  }

  /** Stops loading. A response that arrives later is neither stored nor logged. */
  stop(): void {
    for (const loader of this.#loaders.values()) loader.stop();
  }

  #resolveNetwork(subject: string, network: IpBlock | undefined): ObjectServers {
    const special = network && specialUseOfNetwork(network);
    if (special) return { problem: specialUse(subject, special) };

    const services = this.#servicesOf(network?.version === 4 ? 'ipv4' : 'ipv6');
    return servedBy(network && serviceOf(rangeOf(network), services), subject);
  }

  #resolveAutnum({ number }: AutnumRef): ObjectServers {
    const subject = `AS${number}`;
    const special = specialUseOfAutnum(number);
    if (special) return { problem: specialUse(subject, special) };

    const range = [BigInt(number), BigInt(number)] as const;
    return servedBy(serviceOf(range, this.#servicesOf('asn')), subject);
  }

  /** The tag of a handle follows its last hyphen; its case is ignored (RFC 8521 section 3). */
  #resolveEntity({ handle, baseUrl }: EntityRef): ObjectServers {
    if (baseUrl !== undefined) return { baseUrls: [baseUrl] };

    const hyphen = handle.lastIndexOf('-');
    const tag = hyphen < 1 ? '' : handle.slice(hyphen + 1).toUpperCase();
    return servedBy(
      this.#servicesOf('objectTags').get(tag),
      handle,
      ' It must end with the tag of a registry, such as -ARIN or -RIPE.',
    );
  }

  #servicesOf(kind: Kind): Services {
    return this.#loaders.get(kind)?.current() ?? new Map();
  }
}

function servedBy(service: ObjectService | undefined, subject: string, hint = ''): ObjectServers {
  if (service) return service;
  const detail = `No registry is known for ${subject}.${hint}`;
  return { problem: new Problem('no_registry', detail) };
}

function specialUse(subject: string, { purpose, source }: SpecialUse): Problem {
  const detail = `${subject} is reserved ${purpose} (${source}), so no registry has it.`;
  return new Problem('special_use', detail);
}

/** Starts loading a document, which may be missing beside `dns.json`. */
function load(options: LoaderOptions, kind: Kind): DocumentLoader<Services> {
  const { file, read, ...limits } = objectDocuments[kind];
  const url = siblingUrl(options.url, file);
  const type = {
    name: `bootstrap document ${file}`,
    storeKey: `bootstrap:${url}`,
    mediaType: 'application/json',
    decode: readJson,
    parse: read,
    builtIn: once(() => read(documentOf(tables[kind]))),
    // Another operator's document may be shorter.
    isBuiltInCopy: new URL(url).hostname === 'data.iana.org',
    isOptional: true,
    ...limits,
  };
  return new DocumentLoader(type, { ...options, url });
}

/** Returns the URL of a file beside another one; a query string, such as a token, is kept. */
function siblingUrl(url: string, file: string): string {
  const sibling = new URL(file, url);
  sibling.search = new URL(url).search;
  return sibling.href;
}

function originsOf(services: Services): ReadonlySet<string> {
  const urls = Array.from(services.values()).flatMap(({ baseUrls }) => baseUrls);
  return new Set(urls.map((url) => new URL(url).origin));
}

/** A built-in document: base URLs and entries are separated by spaces. */
interface ObjectTable {
  /** The date of IANA's document; null if it states none. */
  readonly publication: string | null;
  readonly services: Readonly<Record<string, readonly string[]>>;
}

/** Returns the bootstrap document of a built-in table (RFC 9224 section 3). */
function documentOf({ publication, services }: ObjectTable): object {
  return {
    version: '1.0',
    publication,
    services: Object.entries(services).map(([urls, lines]) => [
      lines.flatMap((line) => line.split(' ')),
      urls.split(' '),
    ]),
  };
}

/**
 * Parses the document of IPv4 or IPv6 networks (RFC 9224 section 5.1 and 5.2). Throws an Error with
 * the reason.
 */
function readIpBootstrap(document: unknown, version: 4 | 6): Services {
  return readEntries(parseDocument(document).services, (entry, baseUrls) => {
    const network = parseIpBlock(entry);
    if (network?.version !== version) return undefined;
    return [formatIpBlock(network), { baseUrls, range: rangeOf(network) }];
  });
}

/** Parses the document of AS numbers (RFC 9224 section 5.3). Throws an Error with the reason. */
function readAsnBootstrap(document: unknown): Services {
  return readEntries(parseDocument(document).services, (entry, baseUrls) => {
    const [, from, to = from] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(entry) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (!(first <= last && last <= maxAutnum)) return undefined;
    return [`${first}-${last}`, { baseUrls, range: [BigInt(first), BigInt(last)] }];
  });
}

/** Parses the document of object tags. Throws an Error with the reason. */
function readObjectTags(document: unknown): Services {
  return readEntries(parseDocument(document).services, (tag, baseUrls) =>
    /^[^-\s]{1,255}$/.test(tag) ? [tag.toUpperCase(), { baseUrls }] : undefined,
  );
}

function rangeOf({ version, first, length }: IpBlock): Range {
  return [first, first + (1n << BigInt(addressBits[version] - length)) - 1n];
}

/** Returns the service with the smallest range that contains another one. */
function serviceOf([first, last]: Range, services: Services): ObjectService | undefined {
  let [best, bestSize]: [ObjectService | undefined, bigint] = [undefined, 0n];
  for (const service of services.values()) {
    const [from = 0n, to = -1n] = service.range ?? [];
    if (from > first || to < last || (best && to - from > bestSize)) continue;
    [best, bestSize] = [service, to - from];
  }
  return best;
}
