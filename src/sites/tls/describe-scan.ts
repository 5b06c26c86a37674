import type { TlsCipherCategoryId, TlsFinding, TlsProfile, TlsVersion } from './tls-scan.ts';
import { isHandshake, type Handshake, type HandshakeResult } from './handshake.ts';

export interface ScanResults {
  readonly host: string;
  readonly profile: TlsProfile;
  /** Null if it was not found by DNS: it may be internal. */
  readonly address: string | null;
  /** The result of the probe that lets the server choose. */
  readonly first: HandshakeResult;
  readonly protocols: readonly (readonly [TlsVersion, HandshakeResult | undefined])[];
  readonly http2: HandshakeResult | undefined;
  /** Undefined if they were not probed. */
  readonly ciphers:
    readonly (readonly [TlsCipherCategoryId, HandshakeResult | undefined])[] | undefined;
  readonly impossibleCiphers: readonly TlsCipherCategoryId[];
}

/**
 * Describes a scan. `shown`: the handshake whose certificate is described; the server's default, if
 * that completed.
 */
export function describeScan(results: ScanResults, shown: Handshake, durationMs: number) {
  const { host, profile, address, first, protocols, http2, ciphers } = results;
  const isDefault = shown === first;
  const offers = protocols.map(([version, result]) => ({ version, isOffered: isOffered(result) }));

  return {
    host,
    port: 443,
    address,
    protocols: offers,
    supportsHttp2: selectsHttp2(http2),
    defaultCipher: isDefault ? shown.cipher : null,
    defaultProtocol: isDefault ? shown.protocol : null,
    keyExchange: isDefault ? shown.keyExchange : null,
    cipherCategories: (ciphers ?? []).map(([id, result]) => ({ id, isOffered: isOffered(result) })),
    hasForwardSecrecy: hasForwardSecrecy(results),
    certificates: shown.certificates,
    isTrusted: shown.isTrusted,
    trustError: shown.trustError,
    matchesHost: shown.matchesHost,
    hasOcspStaple: shown.hasOcspStaple,
    profile,
    durationMs,
    notes: notesOn(results),
  };
}

/** What a server offers over TLS, with the members of `Tls`, which `tls.graphql` describes. */
export type ScanFacts = ReturnType<typeof describeScan>;
export type TlsScan = ScanFacts & { readonly findings: readonly TlsFinding[] };

function isOffered(result: HandshakeResult | undefined): boolean | null {
  if (!result) return null;
  if (isHandshake(result)) return true;
  return result.reason === 'rejected' ? false : null;
}

/**
 * Returns whether the server selected HTTP/2. Null if a client certificate is needed: OpenSSL shows
 * the selected protocol only at the end of a handshake.
 */
function selectsHttp2(result: HandshakeResult | undefined): boolean | null {
  if (!isHandshake(result)) return isOffered(result);
  return result.needsClientCertificate ? null : result.alpn === 'h2';
}

/** Returns null if a protocol may be offered that was not probed successfully. */
function hasForwardSecrecy({ first, protocols }: ScanResults): boolean | null {
  const results = protocols.map(([, result]) => result);
  if (![first, ...results].filter(isHandshake).every(isEphemeral)) return false;
  return results.some((result) => isOffered(result) === null) ? null : true;
}

/**
 * Returns whether the key exchange is ephemeral. In TLS 1.3, it always is without pre-shared keys
 * (RFC 8446 section 1.2).
 */
function isEphemeral({ protocol, cipher }: Handshake): boolean {
  return protocol === 'TLSv1.3' || cipher.startsWith('ECDHE-');
}

function notesOn(results: ScanResults): string[] {
  const { profile, first, protocols, http2, ciphers, impossibleCiphers } = results;
  const probed = [...protocols, ...(ciphers ?? [])].map(([, result]) => result).concat(http2);
  const hasFailed = probed.some((result) => isOffered(result) === null);
  const needsCertificate = [first, ...probed].some(
    (result) => isHandshake(result) && result.needsClientCertificate,
  );

  return [
    'SSL 2.0 and SSL 3.0 were not tested: OpenSSL no longer supports them.',
    'DHE ciphers were not tested: what a server offers only with them, forward secrecy included, is shown as not offered.',
    'Vulnerabilities of implementations, such as Heartbleed and ROBOT, were not tested.',
    'Revocation was not checked, and neither was the content of an OCSP staple.',
    ...(profile === 'standard'
      ? ['Ciphers by category were not tested: the profile is "standard".']
      : ['Ciphers by category are those of TLS 1.0 to 1.2; every cipher of TLS 1.3 is AEAD.']),
    ...(impossibleCiphers.length > 0
      ? [`Not tested, because OpenSSL has no such cipher: ${impossibleCiphers.join(', ')}.`]
      : []),
    ...(needsCertificate
      ? [
          'The server ended handshakes because no client certificate was sent, so only what it had selected until then is reported.',
        ]
      : []),
    ...(hasFailed
      ? ['Some probes failed because the server closed the connection or did not respond.']
      : []),
  ];
}
