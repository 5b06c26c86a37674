import { createSecureContext, type ConnectionOptions } from 'node:tls';
import { tlsVersions, type TlsCipherCategoryId, type TlsVersion } from './tls-scan.ts';

/**
 * Security level 0 allows old protocols, weak ciphers and short keys, for which a scan looks. DHE is
 * excluded: the server chooses its group, and one of 10,000 bits blocks the event loop for more than
 * a second.
 */
const restrictions = '!kDHE:@SECLEVEL=0';
const allCiphers = `ALL:!aNULL:!eNULL:${restrictions}`;

/** The probe that lets the server choose protocol and cipher. */
export const defaultProbe: ConnectionOptions = {
  minVersion: 'TLSv1',
  maxVersion: 'TLSv1.3',
  ciphers: allCiphers,
  requestOCSP: true,
};

/** The probe that offers HTTP/2 only (ALPN). */
export const http2Probe: ConnectionOptions = { ...defaultProbe, ALPNProtocols: ['h2'] };

/** A probe for each version of TLS, oldest first. */
export const protocolProbes: readonly (readonly [TlsVersion, ConnectionOptions])[] =
  tlsVersions.map((version) => [
    version,
    { minVersion: version, maxVersion: version, ciphers: allCiphers, requestOCSP: true },
  ]);

const notAead = '!AESGCM:!AESCCM:!AESCCM8:!ARIAGCM:!CHACHA20';

/** Ciphers by category, in OpenSSL's format. */
const cipherLists: Readonly<Record<TlsCipherCategoryId, string>> = {
  null: 'eNULL',
  anonymous: 'aNULL',
  export_or_low: 'EXPORT:LOW',
  rc4: 'RC4',
  triple_des: '3DES',
  static_rsa: 'kRSA:!eNULL',
  cbc: `ALL:!aNULL:!eNULL:!RC4:!PSK:!SRP:${notAead}`,
  aead: 'AESGCM:AESCCM:AESCCM8:ARIAGCM:CHACHA20:!aNULL:!PSK',
};

/** Returns the probes that the OpenSSL of this process can send, and the categories of the others. */
export function cipherProbes() {
  const categories = Object.keys(cipherLists) as TlsCipherCategoryId[];
  const probes = categories.map((id) => [id, cipherProbe(id)] as const);
  return {
    probes: probes.filter(([, probe]) => isPossible(probe)),
    impossible: probes.filter(([, probe]) => !isPossible(probe)).map(([id]) => id),
  };
}

function cipherProbe(id: TlsCipherCategoryId): ConnectionOptions {
  // TLS 1.3 has ciphers of its own, which a server would choose instead.
  const ciphers = `${cipherLists[id]}:${restrictions}`;
  return { minVersion: 'TLSv1', maxVersion: 'TLSv1.2', ciphers };
}

function isPossible(probe: ConnectionOptions): boolean {
  try {
    createSecureContext(probe);
    return true;
  } catch {
    return false;
  }
}
