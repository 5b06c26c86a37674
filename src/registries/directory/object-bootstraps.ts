import type { AutnumRef, EntityRef, IpRef } from '../../domain/object-ref.ts';
import { Problem } from '../../domain/problems.ts';
import { specialUseOfAutnum, specialUseOfNetwork, type SpecialUse } from './special-use.ts';
import { parseIpNetwork } from '../../domain/ip-network.ts';
import type { LoaderOptions } from './document-loader.ts';
import { asnTable, ipv4Table, ipv6Table, objectTagsTable } from './built-in-tables.ts';
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
} from './object-services.ts';
import { ObjectBootstrapLoader } from './object-bootstrap-loader.ts';

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
      table: ipv4Table,
      read: (document) => readIpBootstrap(document, 4),
    });
    this.#ipv6 = new ObjectBootstrapLoader(options, {
      file: 'ipv6.json',
      table: ipv6Table,
      read: (document) => readIpBootstrap(document, 6),
    });
    this.#asn = new ObjectBootstrapLoader(options, {
      file: 'asn.json',
      table: asnTable,
      read: readAsnBootstrap,
    });
    this.#tags = new ObjectBootstrapLoader(options, {
      file: 'object-tags.json',
      table: objectTagsTable,
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
