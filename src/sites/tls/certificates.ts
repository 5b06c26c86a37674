import type { X509Certificate } from 'node:crypto';
import type { TlsCertificate } from './tls-scan.ts';
import { printable } from '../../shared/printable.ts';

/** A site may send as many as fit into 100 kB. */
const maxCertificates = 10;
const maxNames = 500;
const maxTextLength = 256;

/** Returns the certificates that a server sent, its own first. */
export function chainOf(certificate: X509Certificate | undefined): readonly TlsCertificate[] {
  const chain: TlsCertificate[] = [];
  const seen = new Set<string>();
  let next = certificate;
  while (next && !seen.has(next.fingerprint256) && chain.length < maxCertificates) {
    seen.add(next.fingerprint256);
    chain.push(describe(next));
    next = next.issuerCertificate;
  }
  return chain;
}

function describe(certificate: X509Certificate): TlsCertificate {
  const { subject, issuer, bits } = certificate.toLegacyObject();
  return {
    subject: textOf(subject?.CN),
    organization: textOf(subject?.O),
    issuer: textOf(issuer?.CN) ?? textOf(issuer?.O),
    names: namesOf(certificate.subjectAltName),
    serialNumber: certificate.serialNumber.toLowerCase().slice(0, maxTextLength),
    notBefore: timeOf(certificate.validFrom),
    notAfter: timeOf(certificate.validTo),
    keyType: keyTypeOf(certificate),
    keySize: bits ?? null,
    signatureAlgorithm: textOf(certificate.signatureAlgorithm),
    fingerprintSha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

/** A certificate may have several values for a name; the last is the most specific. */
function textOf(value: string | readonly string[] | undefined): string | null {
  const text = typeof value === 'string' ? value : value?.at(-1);
  return text ? printable(text.slice(0, maxTextLength)) : null;
}

/** Reads Node's text of the names. It quotes names with a comma, which are no host names. */
function namesOf(alternatives: string | undefined): readonly string[] {
  const matches = (alternatives ?? '').matchAll(
    /(?:^|, )(?:DNS|IP Address):([^",]{1,253})(?=,|$)/g,
  );
  const names = Array.from(matches, ([, name = '']) => printable(name.toLowerCase()));
  return [...new Set(names)].slice(0, maxNames);
}

/**
 * Returns a date of OpenSSL in epoch ms; null for one that it cannot read, for which it rejects the
 * certificate. Node.js then returns a random time as `validToDate`.
 */
function timeOf(date: string): number | null {
  const time = Date.parse(date);
  return Number.isNaN(time) ? null : time;
}

/** Returns such as `rsa`; null for keys that OpenSSL cannot read. */
function keyTypeOf(certificate: X509Certificate): string | null {
  try {
    return certificate.publicKey.asymmetricKeyType ?? null;
  } catch {
    return null;
  }
}
