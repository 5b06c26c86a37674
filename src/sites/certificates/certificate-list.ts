/** The certificates that a Certificate Transparency search returned for a name. */
export interface CertificateList {
  /** The host name of the search, such as `crt.sh`; `sandbox` for that of the sandbox. */
  readonly source: string;
  /** Newest first. */
  readonly certificates: readonly LoggedCertificate[];
  /** Whether the search may have more, or returned more than the gateway stores. */
  readonly isTruncated: boolean;
}

/** A certificate in a Certificate Transparency log (RFC 9162). */
export interface LoggedCertificate {
  /** The identifier at the search. */
  readonly id: string;
  readonly issuer: string;
  readonly commonName: string | null;
  /** In lower case, each once; some searches return only those that match the search. */
  readonly names: readonly string[];
  /** Epoch ms. */
  readonly notBefore: number;
  /** Epoch ms. */
  readonly notAfter: number;
  /** When the log received it, in epoch ms; null if the search does not say. */
  readonly loggedAt: number | null;
  /** Lower-case hexadecimal digits; null if the search does not say. */
  readonly fingerprintSha256: string | null;
}
