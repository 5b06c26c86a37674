import type { AutnumRef, EntityRef, IpRef } from '../../domain/object-ref.ts';
import { Problem } from '../../domain/problems.ts';
import { specialUseOfAutnum, specialUseOfNetwork, type SpecialUse } from './special-use.ts';
import { parseIpNetwork } from '../../domain/ip-network.ts';
import { DocumentLoader, type LoaderOptions } from './document-loader.ts';
import tables from './object-tables.json' with { type: 'json' };
import {
  readAsnBootstrap,
  readIpBootstrap,
  readObjectTags,
  serviceOfAutnum,
  serviceOfHandle,
  serviceOfNetwork,
  type AutnumService,
  type BaseUrls,
  type NetworkService,
  type TagService,
  type EntryServices,
} from './object-services.ts';
import { derived, once } from '../../shared/memoize.ts';
import { readJson } from '../rdap/json.ts';

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
  resolve(ref: IpRef | AutnumRef | EntityRef): ObjectServers {
    switch (ref.type) {
      case 'ip':
        return this.#resolveIp(ref);
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

  #resolveIp({ ip }: IpRef): ObjectServers {
    const network = parseIpNetwork(ip);
    const special = network && specialUseOfNetwork(network);
    if (special) return { problem: specialUse(ip, special) };
    const loader = network?.version === 4 ? this.#ipv4 : this.#ipv6;
    return servedBy(network && serviceOfNetwork(loader.current(), network), ip);
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
