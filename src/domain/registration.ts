/**
 * A registered name, parsed from the registry's domain object (RFC 9083 section 5.3). Members that
 * the registry omits are absent.
 */
export interface Registration {
  readonly handle?: string;
  readonly ldhName?: string;
  readonly unicodeName?: string;
  readonly hosts: readonly Nameserver[];
  /** RFC 8056 status values, lower case. */
  readonly statuses: readonly string[];
  readonly registrar?: Registrar;
  readonly registrant?: Contact;
  readonly contacts: readonly Contact[];
  readonly createdAt?: Instant;
  readonly updatedAt?: Instant;
  readonly expiresAt?: Instant;
  /** The expiry that the registry's WHOIS server states, where its RDAP server omits it. */
  readonly whoisExpiresAt?: Instant;
  readonly events: readonly Event[];
  readonly dnssec: Dnssec;
  /** Absent without any. */
  readonly variants?: readonly Variant[];
  /** How long the DNS may cache records of the delegation; absent without any. */
  readonly ttls?: readonly RecordTtl[];
  readonly redacted: readonly Redaction[];
  /** The registry's domain object, unmodified. */
  readonly raw?: JsonObject;
}

/** RFC 3339 in UTC with milliseconds: `2026-01-31T00:00:00.000Z`. */
export type Instant = string;

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export interface Nameserver {
  /** Lower case, no trailing dot. */
  readonly name: string;
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}

export interface Registrar {
  /** The registry's identifier. */
  readonly handle?: string;
  readonly name?: string;
  readonly ianaId?: string;
  readonly url?: string;
  readonly abuseEmail?: string;
  readonly abusePhone?: string;
}

export interface Contact {
  /** RFC 9083 section 10.2.4, lower case: `registrant`, `technical` … */
  readonly roles: readonly string[];
  readonly handle?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly organization?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly fax?: string;
  /** All telephone numbers, the preferred first; absent without any. */
  readonly phones?: readonly Phone[];
  readonly url?: string;
  readonly address?: PostalAddress;
}

export interface Phone {
  readonly number: string;
  /** RFC 6350 section 6.4.1, lower case: `voice`, `fax`, `cell` …; empty if the registry sends none. */
  readonly types: readonly string[];
}

export interface PostalAddress {
  readonly street: readonly string[];
  readonly city?: string;
  readonly region?: string;
  readonly postalCode?: string;
  readonly country?: string;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly countryCode?: string;
}

export interface Event {
  readonly action: string;
  readonly date?: Instant;
  readonly actor?: string;
}

export interface Dnssec {
  /** Whether the delegation has DS records; absent if the registry omits it. */
  readonly signed?: boolean;
  readonly dsRecords: readonly DsRecord[];
  /** Absent without any. */
  readonly keys?: readonly DnsKey[];
  /** Seconds that signatures of the child zone should be valid for. */
  readonly maxSigLife?: number;
}

/** A DNSKEY record from which the registry derives the DS records (RFC 4034 section 2). */
export interface DnsKey {
  readonly flags: number;
  readonly protocol: number;
  readonly algorithm: number;
  /** Base64, without spaces. */
  readonly publicKey: string;
}

/** Names that a registry treats as the same as another one (RFC 9083 section 5.3). */
export interface Variant {
  /** RFC 9083 section 10.2.5, lower case: `registered`, `registration restricted` … */
  readonly relation: readonly string[];
  /** The table of the registry that makes them variants. */
  readonly idnTable?: string;
  readonly variantNames: readonly VariantName[];
}

export interface VariantName {
  readonly ldhName?: string;
  readonly unicodeName?: string;
}

/** The time to live of the records of a type at the delegation (draft-ietf-regext-rdap-ttl-extension). */
export interface RecordTtl {
  readonly type: string;
  /** In seconds. */
  readonly value: number;
}

export interface DsRecord {
  readonly keyTag: number;
  readonly algorithm: number;
  readonly digestType: number;
  readonly digest: string;
}

/** What was redacted, how and why (RFC 9537). Its JSON paths are never evaluated. */
export interface Redaction {
  readonly name?: string;
  readonly method: string;
  readonly reason?: string;
}

/** The facts of a registration that not every registry publishes. */
export const publishedFields = [
  'registrar',
  'created',
  'expires',
  'nameservers',
  'registrant',
] as const;
export type PublishedField = (typeof publishedFields)[number];

/** Returns an object with a value for each fact. */
export function byField<T>(valueOf: (field: PublishedField) => T): Record<PublishedField, T> {
  const entries = publishedFields.map((field) => [field, valueOf(field)] as const);
  return Object.fromEntries(entries) as Record<PublishedField, T>;
}

export function publishedIn(registration: Registration, field: PublishedField): boolean {
  const { registrar, registrant, createdAt, expiresAt, hosts } = registration;
  return {
    registrar: registrar?.name !== undefined,
    created: createdAt !== undefined,
    expires: expiresAt !== undefined,
    nameservers: hosts.length > 0,
    registrant: (registrant?.organization ?? registrant?.name) !== undefined,
  }[field];
}
