/** What a server offers over TLS. */
export interface TlsScan {
  readonly host: string;
  readonly port: number;
  /** The address that was scanned; null if the operator or the sandbox set it. */
  readonly address: string | null;
  /** By protocol, oldest first. */
  readonly protocols: readonly TlsProtocol[];
  /** Whether the server selects HTTP/2 (ALPN `h2`); null if that is unknown. */
  readonly supportsHttp2: boolean | null;
  /** The cipher that the server selects by default, in OpenSSL's spelling. */
  readonly defaultCipher: string | null;
  /** The protocol that the server selects by default. */
  readonly defaultProtocol: TlsVersion | null;
  /** The ephemeral key of the default connection, such as `X25519`; null if there is none. */
  readonly keyExchange: string | null;
  /** Ciphers by category; only categories that were probed. */
  readonly cipherCategories: readonly TlsCipherCategory[];
  /**
   * Whether every protocol that is offered selects a key exchange with forward secrecy; null if a
   * probe failed and no other shows one without.
   */
  readonly hasForwardSecrecy: boolean | null;
  /** The server's own first; empty if none was sent. */
  readonly certificates: readonly TlsCertificate[];
  /**
   * Whether the certificate is valid for the host, in time, and issued by a trusted CA; null if the
   * server ended the handshake before that, because no client certificate was sent.
   */
  readonly isTrusted: boolean | null;
  /** OpenSSL's reason, such as `CERT_HAS_EXPIRED`; null if it is trusted or that is unknown. */
  readonly trustError: string | null;
  /** Whether the certificate is valid for the host; null if none was sent. */
  readonly matchesHost: boolean | null;
  /** Whether the server staples an OCSP response, which is not checked. */
  readonly hasOcspStaple: boolean;
  readonly profile: TlsProfile;
  readonly findings: readonly TlsFinding[];
  readonly durationMs: number;
  /** What was not tested. */
  readonly notes: readonly string[];
}

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

/** Whether a version of TLS is offered. */
export interface TlsProtocol {
  readonly version: TlsVersion;
  /** Null if the probe failed for another reason than the protocol. */
  readonly isOffered: boolean | null;
}

/** The categories of the ciphers of TLS 1.0 to 1.2. The ciphers of TLS 1.3 are all AEAD. */
export type TlsCipherCategoryId =
  'null' | 'anonymous' | 'export_or_low' | 'rc4' | 'triple_des' | 'static_rsa' | 'cbc' | 'aead';

/** Whether a cipher of a category is offered. */
export interface TlsCipherCategory {
  readonly id: TlsCipherCategoryId;
  /** Null if the probe failed. */
  readonly isOffered: boolean | null;
}

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
