import type { DomainName } from './domain-name.ts';

/** The object classes of RDAP besides domains (RFC 9082 section 3.1), as in the paths of lookups. */
export const objectTypes = ['ip', 'autnum', 'entity', 'nameserver'] as const;
export type ObjectType = (typeof objectTypes)[number];

/** An IP address, or a network in CIDR notation, in canonical form (RFC 5952). */
export interface IpRef {
  readonly type: 'ip';
  /**
   * Identifies the object in caches, queues and meters, e.g. `ip/192.0.2.1`. It contains a slash, so
   * it never equals a name.
   */
  readonly key: string;
  readonly ip: string;
}

/** The largest number of an autonomous system, of 32 bits (RFC 6793). */
export const maxAutnum = 4_294_967_295;

/** An autonomous system, by its number. */
export interface AutnumRef {
  readonly type: 'autnum';
  readonly key: string;
  readonly number: number;
}

/** An entity: a person or an organization, by its handle at one server. */
export interface EntityRef {
  readonly type: 'entity';
  readonly key: string;
  readonly handle: string;
  /**
   * Base URL of the server that has it; undefined if the handle ends with the tag of its registry
   * (RFC 8521).
   */
  readonly baseUrl?: string | undefined;
}

/** A nameserver object, by its host name. */
export interface NameserverRef {
  readonly type: 'nameserver';
  readonly key: string;
  readonly name: DomainName;
}

/** A reference to an object, as created by the parsers of this module. */
export type ObjectRef = IpRef | AutnumRef | EntityRef | NameserverRef;

/** A reference to an object of a type. */
export type RefOf<T extends ObjectType> = Extract<ObjectRef, { readonly type: T }>;

/** Returns the path of the lookup of an object (RFC 9082 section 3.1), relative to the base URL. */
export function lookupPath(ref: ObjectRef): string {
  return ref.type === 'entity' ? `entity/${encodeURIComponent(ref.handle)}` : ref.key;
}
