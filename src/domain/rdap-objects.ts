import type { Contact, Dnssec, Event, JsonObject, Nameserver, Redaction } from './registration.ts';

/** The members that all object classes have (RFC 9083 section 4); lists are empty if omitted. */
export interface RdapObject {
  readonly handle?: string;
  /** Status values (RFC 9083 section 10.2.2), lower case, e.g. `active`. */
  readonly statuses: readonly string[];
  readonly events: readonly Event[];
  /** Entities that the object lists, each with its own entities. */
  readonly entities: readonly RelatedEntity[];
  readonly remarks: readonly Remark[];
  readonly links: readonly Link[];
  readonly redacted: readonly Redaction[];
  /** The server's object, unmodified. */
  readonly raw?: JsonObject;
}

/** What networks and autonomous systems have in common. */
interface NumberResource extends RdapObject {
  readonly name?: string;
  /** Type of allocation in the words of the registry, e.g. `ASSIGNED PA` or `DIRECT ALLOCATION`. */
  readonly type?: string;
  /** ISO 3166-1 alpha-2, upper case; absent for `EU` and `AP`, which are no countries. */
  readonly country?: string;
}

/** A network of IP addresses (RFC 9083 section 5.4). */
export interface IpNetwork extends NumberResource {
  /** First address, in canonical form (RFC 5952). */
  readonly startAddress?: string;
  /** Last address, in canonical form (RFC 5952). */
  readonly endAddress?: string;
  /**
   * The network in CIDR notation, as sent by the server (extension `cidr0`), or computed from the
   * first and the last address. Empty if that would take more than 62 blocks.
   */
  readonly cidrs: readonly string[];
  readonly ipVersion?: IpVersion;
  readonly parentHandle?: string;
  /** URL of the locations of its addresses (RFC 9877); never looked up. */
  readonly geofeed?: string;
  /** Numbers of the autonomous systems that announce the network (ARIN's `arin_originas0`). */
  readonly originAutnums: readonly number[];
}

export type IpVersion = 'v4' | 'v6';

/** An autonomous system number, or a block of them (RFC 9083 section 5.5). */
export interface Autnum extends NumberResource {
  /** First number of the block. */
  readonly startNumber?: number;
  /** Last number of the block; equal to the first if it is one number. */
  readonly endNumber?: number;
}

/** A person, an organization or a group (RFC 9083 section 5.1). */
export interface Entity extends RdapObject {
  readonly roles: readonly string[];
  readonly contact: Contact;
  readonly publicIds: readonly PublicId[];
  /** Networks that the server lists with the entity, at most 200. They may not be all. */
  readonly networks: readonly IpNetwork[];
  /** Autonomous systems that the server lists with the entity, at most 200. They may not be all. */
  readonly autnums: readonly Autnum[];
  /** Events in which the entity was the actor (RFC 9083 section 5.1). */
  readonly asEventActor: readonly Event[];
}

/** A nameserver that a registry stores as an object of its own (RFC 9083 section 5.2). */
export interface NameserverObject extends RdapObject {
  /** A-label form, lower case, no trailing dot. */
  readonly ldhName?: string;
  /** U-label form, no trailing dot. */
  readonly unicodeName?: string;
  readonly ipv4: Nameserver['ipv4'];
  readonly ipv6: Nameserver['ipv6'];
}

/** A reverse zone, which is a domain object (RFC 9083 section 5.3). */
export interface ReverseZone extends RdapObject {
  /** Lower case, no trailing dot. */
  readonly name?: string;
  readonly hosts: readonly Nameserver[];
  readonly dnssec: Dnssec;
  /** The network of its addresses, as the object contains it. */
  readonly network?: IpNetwork;
}

/** An entity inside another object, with its roles for that object. */
export interface RelatedEntity {
  readonly handle?: string;
  /** RFC 9083 section 10.2.4, lower case: `registrant`, `technical` … */
  readonly roles: readonly string[];
  readonly contact: Contact;
  readonly publicIds: readonly PublicId[];
  readonly entities: readonly RelatedEntity[];
}

/**
 * Returns the holder among the entities of a network or an autonomous system: the registrant. RIPE NCC
 * and AFRINIC list maintainers as registrants, too, whose name is their handle.
 */
export function holderOf(entities: readonly RelatedEntity[]): RelatedEntity | undefined {
  const registrants = entities.filter(({ roles }) => roles.includes('registrant'));
  return (
    registrants.find(({ contact }) => contact.kind === 'org') ??
    registrants.find(({ handle, contact }) => contact.name !== handle)
  );
}

/** An identifier that is not the registry's own (RFC 9083 section 4.8). */
export interface PublicId {
  /** e.g. `IANA Registrar ID`. */
  readonly type: string;
  readonly identifier: string;
}

/** A text about an object (RFC 9083 section 4.3). */
export interface Remark {
  readonly title?: string;
  /** RFC 9083 section 10.2.1, lower case, e.g. `object truncated due to authorization`. */
  readonly type?: string;
  /** Lines or paragraphs, as the server splits them. */
  readonly description: readonly string[];
}

/** A link to something related to an object (RFC 9083 section 4.2). */
export interface Link {
  /** RFC 8288 relation type, lower case, e.g. `self`. */
  readonly rel?: string;
  /** An `http:` or `https:` URL; never looked up. */
  readonly href: string;
  /** Media type of the target. */
  readonly type?: string;
}
