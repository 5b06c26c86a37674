/** Later versions of the gateway may return other values. */
type OtherValue = string & {};

export type DomainStatus =
  | 'AVAILABLE'
  | 'REGISTERED'
  | 'RESERVED'
  | 'REDEMPTION'
  | 'PENDING_DELETE'
  | 'UNKNOWN'
  | 'UNSUPPORTED_TLD'
  | 'INVALID'
  | OtherValue;

/** Whether a name is available. */
export interface Availability {
  /** The A-label name in lower case, such as `xn--bcher-kva.test`. */
  readonly domain: string;
  /** The name for display, such as `bücher.test`. */
  readonly unicodeName: string;
  readonly name: string;
  readonly tld: string;
  /** Null if there is no trustworthy answer, which is not "available"; see `problem`. */
  readonly available: boolean | null;
  readonly status: DomainStatus;
  readonly confidence: 'AUTHORITATIVE' | 'HEURISTIC' | OtherValue | null;
  /** What to check before the name is registered. */
  readonly cautions: readonly { readonly code: string; readonly detail: string }[];
  /** Why there is no verdict, or no record. */
  readonly problem: LookupProblem | null;
  /** `rdap`, `das`, `whois` or `dns`. Null if nothing was queried. */
  readonly source: string | null;
  readonly cached: boolean;
  readonly stale: boolean;
  /** RFC 3339, UTC, as all dates. */
  readonly checkedAt: string | null;
  readonly latencyMs: number;
}

export interface LookupProblem {
  /** A problem code, such as `registry_timeout`. */
  readonly code: string;
  readonly detail: string;
  readonly retryable: boolean;
  /** Seconds. */
  readonly retryAfter: number | null;
}

/** A name with its registration. */
export interface Lookup extends Availability {
  /** Null if the name is not registered, or `problem` is set. */
  readonly registration: Registration | null;
}

/** The registry's data on a registered name. Null or empty means not published. */
export interface Registration {
  /** `WHOIS` where the registry has no RDAP. Values may be added. */
  readonly source: 'RDAP' | 'WHOIS' | OtherValue;
  /** `HEURISTIC` from WHOIS. */
  readonly confidence: 'AUTHORITATIVE' | 'HEURISTIC' | OtherValue;
  readonly handle: string | null;
  readonly nameservers: readonly string[];
  readonly hosts: readonly {
    readonly name: string;
    readonly ipv4: readonly string[];
    readonly ipv6: readonly string[];
  }[];
  readonly statuses: readonly string[];
  readonly registrar: Registrar | null;
  readonly registrant: Contact | null;
  readonly contacts: readonly Contact[];
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly expiresAt: string | null;
  readonly dnssec: Dnssec;
  readonly redacted: readonly {
    readonly name: string | null;
    readonly method: string;
    readonly reason: string | null;
  }[];
  /** The registry's own RDAP object. */
  readonly raw: unknown;
}

export interface Registrar {
  readonly name: string | null;
  readonly ianaId: string | null;
  readonly url: string | null;
  readonly abuseEmail: string | null;
  readonly abusePhone: string | null;
}

export interface Contact {
  readonly roles: readonly string[];
  readonly handle: string | null;
  readonly kind: string | null;
  readonly name: string | null;
  readonly organization: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly fax: string | null;
  readonly url: string | null;
  readonly address: PostalAddress | null;
}

export interface PostalAddress {
  readonly street: readonly string[];
  readonly city: string | null;
  readonly region: string | null;
  readonly postalCode: string | null;
  readonly country: string | null;
  readonly countryCode: string | null;
}

export interface Dnssec {
  readonly signed: boolean | null;
  readonly dsRecords: readonly {
    readonly keyTag: number;
    readonly algorithm: number;
    readonly digestType: number;
    readonly digest: string;
  }[];
}
