import { maxAutnum } from '../../domain/object-ref.ts';
import {
  containsNetwork,
  formatIpNetwork,
  parseIpNetwork,
  type IpNetwork,
} from '../../domain/ip-network.ts';
import { parseDocument, toBaseUrls } from './bootstrap-parser.ts';

/** Equivalent base URLs, HTTPS first, each ending with a slash. */
export type BaseUrls = readonly [string, ...string[]];

/** The server of a network (RFC 9224 section 5.1 and 5.2). */
export interface NetworkService {
  readonly network: IpNetwork;
  readonly baseUrls: BaseUrls;
}

/** The server of a range of AS numbers (RFC 9224 section 5.3). */
export interface AutnumService {
  readonly first: number;
  readonly last: number;
  readonly baseUrls: BaseUrls;
}

/** The server of the handles with a tag (RFC 8521 section 3). */
export interface TagService {
  readonly baseUrls: BaseUrls;
}

/** Services by entry, in canonical form: `192.0.2.0/24`, `64496-64511`, `ARIN`. */
export type EntryServices<Service> = ReadonlyMap<string, Service>;

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
export function serviceOfNetwork(
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
export function serviceOfAutnum(
  services: EntryServices<AutnumService>,
  number: number,
): AutnumService | undefined {
  return Array.from(services.values()).find(({ first, last }) => first <= number && number <= last);
}

/** Returns the server of a handle by its tag, which follows the last hyphen; the case is ignored. */
export function serviceOfHandle(
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
