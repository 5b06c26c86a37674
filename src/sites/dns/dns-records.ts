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

/** The records at `_for-sale.NAME` (RFC 10023). */
export interface ForSale {
  /** Whether there is a record with the version tag. */
  readonly isForSale: boolean;
  /** The contents of the valid records, in the order of the response. */
  readonly offers: readonly SaleOffer[];
}

/** One record of an offer; at most one of code, text, URI and price is set. */
export interface SaleOffer {
  /**
   * The content after the version tag, as published; of a URI such as `mailto:`, which is personal
   * data, only the scheme.
   */
  readonly content: string;
  readonly code: string | null;
  readonly text: string | null;
  /** An `http:` or `https:` URI. */
  readonly uri: string | null;
  /** An ISO 4217 code or another currency. */
  readonly currency: string | null;
  /** A decimal number, as published. */
  readonly amount: string | null;
}
