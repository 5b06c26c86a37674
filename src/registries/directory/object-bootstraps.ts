import {
  parseIpNetwork,
  containsNetwork,
  formatIpNetwork,
  type IpNetwork,
} from '../../domain/ip-address.ts';
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
import { parseDocument, toBaseUrls } from './bootstrap-parser.ts';
import { DocumentLoader, type LoaderOptions } from './document-loader.ts';
import tables from './object-tables.json' with { type: 'json' };
import { specialUseOfAutnum, specialUseOfNetwork, type SpecialUse } from './special-use.ts';

/** The servers of an object, or why there is none: `special_use` or `no_registry`. */
export type ObjectServers = { readonly baseUrls: BaseUrls } | { readonly problem: Problem };

/**
 * Finds the servers of IP networks, AS numbers and entities (RFC 9224, RFC 8521). A nameserver is
 * looked up at the registry of its TLD.
 */
export class ObjectBootstraps {
  /** Settles after the first attempts to load the documents, or after two seconds. Never rejects. */
  readonly settled: Promise<unknown>;
  readonly #ipv4: ObjectLoader<NetworkService>;
  readonly #ipv6: ObjectLoader<NetworkService>;
  readonly #asn: ObjectLoader<AutnumService>;
  readonly #tags: ObjectLoader<TagService>;
  /** Return the origins of the current servers. */
  readonly #origins: readonly (() => ReadonlySet<string>)[];

  /** Starts loading the documents; `url` is that of `dns.json`, which is in the same folder. */
  constructor(options: LoaderOptions) {
    this.#ipv4 = load(options, 'ipv4.json', {
      table: tables.ipv4,
      read: (document) => readIpBootstrap(document, 4),
    });
    this.#ipv6 = load(options, 'ipv6.json', {
      table: tables.ipv6,
      read: (document) => readIpBootstrap(document, 6),
    });
    this.#asn = load(options, 'asn.json', { table: tables.asn, read: readAsnBootstrap });
    this.#tags = load(options, 'object-tags.json', {
      table: tables.objectTags,
      read: readObjectTags,
      // There are few tags, so that a single one is a large share of them.
      maxLostShare: 0.5,
    });
    this.settled = Promise.all(this.#loaders.map(({ settled }) => settled));
    this.#origins = this.#loaders.map((loader) =>
      derived<ReadonlyMap<string, { readonly baseUrls: BaseUrls }>, ReadonlySet<string>>(
        () => loader.current(),
        (services) => originsOf(services.values()),
      ),
    );
  }

  /**
   * Returns the servers of an object, or a problem without querying any: `special_use` for a
   * reserved address or number, `no_registry` if no server is known.
   */
  resolve(ref: IpRef | AutnumRef | EntityRef | ReverseZoneRef): ObjectServers {
    switch (ref.type) {
      case 'ip':
        return this.#resolveNetwork(ref.ip, parseIpNetwork(ref.ip));
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
    for (const loader of this.#loaders) loader.stop();
  }

  get #loaders() {
    return [this.#ipv4, this.#ipv6, this.#asn, this.#tags] as const;
  }

  #resolveNetwork(subject: string, network: IpNetwork | undefined): ObjectServers {
    const special = network && specialUseOfNetwork(network);
    if (special) return { problem: specialUse(subject, special) };
    const loader = network?.version === 4 ? this.#ipv4 : this.#ipv6;
    return servedBy(network && serviceOfNetwork(loader.current(), network), subject);
  }

  #resolveAutnum({ number }: AutnumRef): ObjectServers {
    const special = specialUseOfAutnum(number);
    if (special) return { problem: specialUse(`AS${number}`, special) };
    return servedBy(serviceOfAutnum(this.#asn.current(), number), `AS${number}`);
  }

  #resolveEntity({ handle, baseUrl }: EntityRef): ObjectServers {
    if (baseUrl !== undefined) return { baseUrls: [baseUrl] };
    return servedBy(
      serviceOfHandle(this.#tags.current(), handle),
      handle,
      ' It must end with the tag of a registry, such as -ARIN or -RIPE.',
    );
  }
}

function servedBy(
  service: { readonly baseUrls: BaseUrls } | undefined,
  subject: string,
  hint = '',
): ObjectServers {
  if (service) return { baseUrls: service.baseUrls };
  const detail = `No registry is known for ${subject}.${hint}`;
  return { problem: new Problem('no_registry', detail) };
}

function specialUse(subject: string, { purpose, source }: SpecialUse): Problem {
  const detail = `${subject} is reserved ${purpose} (${source}), so no registry has it.`;
  return new Problem('special_use', detail);
}

type ObjectLoader<Service> = DocumentLoader<EntryServices<Service>>;

/** What the loader must know about a document. */
interface ObjectDocument<Service> {
  /** The built-in document. */
  readonly table: ObjectTable;
  /** Parses a document. Throws an Error with the reason. */
  readonly read: (document: unknown) => EntryServices<Service>;
  readonly maxLostShare?: number;
}

/** Starts loading a document of objects, a file beside `dns.json`. It may be missing there. */
function load<Service>(
  options: LoaderOptions,
  file: string,
  { table, read, ...limits }: ObjectDocument<Service>,
): ObjectLoader<Service> {
  const url = siblingUrl(options.url, file);
  const type = {
    name: `bootstrap document ${file}`,
    storeKey: `bootstrap:${url}`,
    mediaType: 'application/json',
    decode: readJson,
    parse: read,
    builtIn: once(() => read(documentOf(table))),
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

function originsOf(services: Iterable<{ readonly baseUrls: BaseUrls }>): ReadonlySet<string> {
  return new Set(
    Array.from(services).flatMap(({ baseUrls }) => baseUrls.map((url) => new URL(url).origin)),
  );
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

/** Equivalent base URLs, HTTPS first, each ending with a slash. */
type BaseUrls = readonly [string, ...string[]];

/** The server of a network (RFC 9224 section 5.1 and 5.2). */
interface NetworkService {
  readonly network: IpNetwork;
  readonly baseUrls: BaseUrls;
}

/** The server of a range of AS numbers (RFC 9224 section 5.3). */
interface AutnumService {
  readonly first: number;
  readonly last: number;
  readonly baseUrls: BaseUrls;
}

/** The server of the handles with a tag (RFC 8521 section 3). */
interface TagService {
  readonly baseUrls: BaseUrls;
}

/** Services by entry, in canonical form: `192.0.2.0/24`, `64496-64511`, `ARIN`. */
type EntryServices<Service> = ReadonlyMap<string, Service>;

/** Parses the document of IPv4 or IPv6 networks. Throws an Error with the reason. */
export function readIpBootstrap(document: unknown, version: 4 | 6): EntryServices<NetworkService> {
  return readEntries(document, (entry, baseUrls) => {
    const network = parseIpNetwork(entry);
    if (network?.version !== version) return undefined;
    return [formatIpNetwork(network), { network, baseUrls }];
  });
}

/** Parses the document of AS numbers. Throws an Error with the reason. */
export function readAsnBootstrap(document: unknown): EntryServices<AutnumService> {
  return readEntries(document, (entry, baseUrls) => {
    const [, from, to = from] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(entry) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (!(first <= last && last <= maxAutnum)) return undefined;
    return [`${first}-${last}`, { first, last, baseUrls }];
  });
}

/** Parses the document of object tags. Throws an Error with the reason. */
export function readObjectTags(document: unknown): EntryServices<TagService> {
  return readEntries(document, (tag, baseUrls) =>
    /^[^-\s]{1,255}$/.test(tag) ? [tag.toUpperCase(), { baseUrls }] : undefined,
  );
}

/** Returns the server of a network: that of the smallest network that contains it. */
function serviceOfNetwork(
  services: EntryServices<NetworkService>,
  sought: IpNetwork,
): NetworkService | undefined {
  let best: NetworkService | undefined;
  for (const service of services.values()) {
    const { network } = service;
    if (containsNetwork(network, sought) && network.length >= (best?.network.length ?? 0))
      best = service;
  }
  return best;
}

/** Returns the server of an AS number. Ranges do not overlap (RFC 9224 section 5.3). */
function serviceOfAutnum(
  services: EntryServices<AutnumService>,
  number: number,
): AutnumService | undefined {
  return Array.from(services.values()).find(({ first, last }) => first <= number && number <= last);
}

/** Returns the server of a handle by its tag, which follows the last hyphen; the case is ignored. */
function serviceOfHandle(
  services: EntryServices<TagService>,
  handle: string,
): TagService | undefined {
  const hyphen = handle.lastIndexOf('-');
  return hyphen < 1 ? undefined : services.get(handle.slice(hyphen + 1).toUpperCase());
}

/**
 * Reads the entries of all services. One invalid entry, or a service without a usable URL, must not
 * invalidate the others. The last two lists of a service are its entries and its URLs; in front of
 * them, object tags have the contacts of the registrant.
 */
function readEntries<Service>(
  document: unknown,
  read: (entry: string, baseUrls: BaseUrls) => readonly [string, Service] | undefined,
): EntryServices<Service> {
  const services = new Map<string, Service>();
  for (const lists of parseDocument(document).services) {
    const baseUrls = toBaseUrls(lists.at(-1) ?? []);
    if (!baseUrls) continue;
    for (const entry of lists.at(-2) ?? []) {
      const service = read(entry, baseUrls);
      if (service) services.set(...service);
    }
  }
  if (services.size === 0) throw new Error('the document names no server');
  return services;
}
