/** The versions of TLS in the spelling of OpenSSL, oldest first. */
export const tlsVersions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
export type TlsVersion = (typeof tlsVersions)[number];

/** `full` also probes the categories of ciphers. */
export const tlsProfiles = ['standard', 'full'] as const;
export type TlsProfile = (typeof tlsProfiles)[number];

/** Returns the profile of a GraphQL enum value, such as `FULL`. */
export function tlsProfileOf(value: string): TlsProfile {
  return tlsProfiles.find((profile) => profile === value.toLowerCase()) ?? 'standard';
}

/** The categories of the ciphers of TLS 1.0 to 1.2. The ciphers of TLS 1.3 are all AEAD. */
export type TlsCipherCategoryId =
  'null' | 'anonymous' | 'export_or_low' | 'rc4' | 'triple_des' | 'static_rsa' | 'cbc' | 'aead';

/** A certificate that a server sent. */
export interface TlsCertificate {
  readonly subject: string | null;
  readonly organization: string | null;
  readonly issuer: string | null;
  readonly names: readonly string[];
  readonly serialNumber: string;
  /** Epoch ms; null if it cannot be read. */
  readonly notBefore: number | null;
  /** Epoch ms; null if it cannot be read. */
  readonly notAfter: number | null;
  readonly keyType: string | null;
  /** In bits; null if unknown. */
  readonly keySize: number | null;
  /** In OpenSSL's spelling, such as `sha256WithRSAEncryption`; null if unknown. */
  readonly signatureAlgorithm: string | null;
  /** Lower-case hexadecimal digits. */
  readonly fingerprintSha256: string;
}

/** The sections of findings, in their order. */
export const tlsSections = [
  'protocols',
  'server_defaults',
  'cipher_categories',
  'forward_secrecy',
] as const;
/** The severities of findings, most severe first. */
export const tlsSeverities = ['critical', 'high', 'medium', 'low', 'info', 'ok'] as const;

/** A statement about the scan. */
export interface TlsFinding {
  /** Stable, such as `tls_1_0`. */
  readonly id: string;
  readonly section: (typeof tlsSections)[number];
  readonly severity: (typeof tlsSeverities)[number];
  /** A sentence. */
  readonly finding: string;
}
