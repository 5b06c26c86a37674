/** The DNS records of a name. A list is empty if the name has no records of the type. */
export interface DnsRecords {
  /** Whether the name exists: false for NXDOMAIN. */
  readonly exists: boolean;
  readonly a: readonly string[];
  readonly aaaa: readonly string[];
  /** The targets of CNAME records, in the order in which they are followed. */
  readonly cname: readonly string[];
  readonly mx: readonly MailServer[];
  /** Host names in lower case, without a final dot. */
  readonly ns: readonly string[];
  /** The strings of a record are joined. */
  readonly txt: readonly string[];
  readonly caa: readonly CaaProperty[];
  readonly soa: StartOfAuthority | null;
}

/** An MX record. */
export interface MailServer {
  /** The lowest is preferred. */
  readonly priority: number;
  readonly exchange: string;
}

/** A CAA record (RFC 8659 section 4): which CAs may issue certificates for the name. */
export interface CaaProperty {
  readonly isCritical: boolean;
  /** The property, such as `issue`. */
  readonly tag: string;
  readonly value: string;
}

/** An SOA record (RFC 1035 section 3.3.13). Times are in seconds. */
export interface StartOfAuthority {
  readonly nameserver: string;
  readonly hostmaster: string;
  readonly serial: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimumTtl: number;
}
