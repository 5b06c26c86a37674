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
import { derived } from '../../shared/memoize.ts';
import { readJson } from '../rdap/json.ts';
import { assertPlausible, changesBetween } from './entry-changes.ts';

/** The servers of an object, or why there is none: `special_use` or `no_registry`. */
export type ObjectServers = { readonly baseUrls: BaseUrls } | { readonly problem: Problem };

/**
 * Finds the servers of IP networks, AS numbers and entities (RFC 9224, RFC 8521). A nameserver is
 * looked up at the registry of its TLD.
 */
export class ObjectBootstraps {
  /** Settles after the first attempts to load the documents, or after two seconds. Never rejects. */
  readonly settled: Promise<unknown>;
  readonly #ipv4: ObjectBootstrapLoader<NetworkService>;
  readonly #ipv6: ObjectBootstrapLoader<NetworkService>;
  readonly #asn: ObjectBootstrapLoader<AutnumService>;
  readonly #tags: ObjectBootstrapLoader<TagService>;

  /** Starts loading the documents; `url` is that of `dns.json`, which is in the same folder. */
  constructor(options: LoaderOptions) {
    this.#ipv4 = new ObjectBootstrapLoader(options, {
      file: 'ipv4.json',
      table: documentOf(tables.ipv4),
      read: (document) => readIpBootstrap(document, 4),
    });
    this.#ipv6 = new ObjectBootstrapLoader(options, {
      file: 'ipv6.json',
      table: documentOf(tables.ipv6),
      read: (document) => readIpBootstrap(document, 6),
    });
    this.#asn = new ObjectBootstrapLoader(options, {
      file: 'asn.json',
      table: documentOf(tables.asn),
      read: readAsnBootstrap,
    });
    this.#tags = new ObjectBootstrapLoader(options, {
      file: 'object-tags.json',
      table: documentOf(tables.objectTags),
      read: readObjectTags,
      // There are few tags, so that a single one is a large share of them.
      maxLostShare: 0.5,
    });
    this.settled = Promise.all(this.#loaders.map(({ settled }) => settled));
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
    return this.#loaders.some((loader) => loader.origins().has(origin));
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
    const { current } = network?.version === 4 ? this.#ipv4 : this.#ipv6;
    return servedBy(network && serviceOfNetwork(current, network), ip);
  }

  #resolveAutnum({ number }: AutnumRef): ObjectServers {
    const special = specialUseOfAutnum(number);
    if (special) return { problem: specialUse(`AS${number}`, special) };
    return servedBy(serviceOfAutnum(this.#asn.current, number), `AS${number}`);
  }

  #resolveEntity({ handle, baseUrl }: EntityRef): ObjectServers {
    if (baseUrl !== undefined) return { baseUrls: [baseUrl] };
    return servedBy(
      serviceOfHandle(this.#tags.current, handle),
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

/** What the loader must know about a document. */
interface ObjectDocument<Service> {
  /** The name of the file, beside `dns.json`. */
  readonly file: string;
  /** The built-in document. */
  readonly table: object;
  /** Parses a document. Throws an Error with the reason. */
  readonly read: (document: unknown) => EntryServices<Service>;
  /** A document that lacks this share of the previous entries is rejected. */
  readonly maxLostShare?: number;
}

/**
 * Loads a bootstrap document of objects, and reloads it like that of domains. Until one is loaded,
 * or if there is none beside `dns.json`, the built-in table is used. An implausible document is
 * rejected, and the last good copy stays in use.
 */
class ObjectBootstrapLoader<Service extends { readonly baseUrls: BaseUrls }> {
  /** Settles after the first attempt to load the document, or after two seconds. Never rejects. */
  readonly settled: Promise<void>;
  /** Returns the origins of the current servers. */
  readonly origins: () => ReadonlySet<string>;
  readonly #url: string;
  readonly #document: ObjectDocument<Service>;
  readonly #loader: DocumentLoader<EntryServices<Service>>;
  readonly #builtIn: EntryServices<Service>;

  /** Starts loading the document; `url` is that of `dns.json`. */
  constructor(options: LoaderOptions, document: ObjectDocument<Service>) {
    const url = siblingUrl(options.url, document.file);
    this.#url = url;
    this.#document = document;
    this.#builtIn = document.read(document.table);
    this.origins = derived(
      () => this.current,
      (services) => originsOf(services.values()),
    );
    this.#loader = new DocumentLoader(
      {
        name: `bootstrap document ${document.file}`,
        storeKey: `bootstrap:${url}`,
        mediaType: 'application/json',
        decode: readJson,
        parse: document.read,
        accept: (services, lastGood) => this.#accept(services, lastGood, options),
        size: () => this.current.size,
        isOptional: true,
      },
      { ...options, url },
    );
    this.settled = this.#loader.settled;
  }

  /** The services of the last good document. */
  get current(): EntryServices<Service> {
    return this.#loader.lastGood?.value ?? this.#builtIn;
  }

  /** Stops loading. A response that arrives later is neither stored nor logged. */
  stop(): void {
    this.#loader.stop();
  }

  #accept(
    services: EntryServices<Service>,
    lastGood: EntryServices<Service> | undefined,
    { log }: LoaderOptions,
  ): EntryServices<Service> {
    // The built-in table is a copy of IANA's document; another operator's may be shorter.
    const isIana = new URL(this.#url).hostname === 'data.iana.org';
    const reference = lastGood ?? (isIana ? this.#builtIn : undefined);
    // A file is under the operator's control; a response may be truncated.
    if (reference && !this.#url.startsWith('file:'))
      assertPlausible(services, reference, this.#document.maxLostShare);
    log.info(
      {
        document: this.#document.file,
        entries: services.size,
        ...changesBetween(
          lastGood ?? this.#builtIn,
          services,
          (entry) => urlsOf(lastGood ?? this.#builtIn, entry) !== urlsOf(services, entry),
        ),
      },
      'Bootstrap document of objects loaded.',
    );
    return services;
  }
}

function urlsOf(
  services: EntryServices<{ readonly baseUrls: BaseUrls }>,
  entry: string,
): string | undefined {
  return services.get(entry)?.baseUrls.join(' ');
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
