import { generateKeyPairSync, randomBytes } from 'node:crypto';
import forge from 'node-forge';

/** A certificate and its private key, in PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

interface CertificateOptions {
  readonly names: readonly string[];
  readonly organization?: string;
  /** Epoch ms. */
  readonly notBefore: number;
  /** Epoch ms. */
  readonly notAfter: number;
}

/** Issues certificates that only clients with its own certificate trust. */
export class CertificateAuthority {
  readonly #key: forge.pki.rsa.KeyPair = createKeys();
  /** One for all servers, because generating keys takes most of the time. */
  readonly #serverKey: forge.pki.rsa.KeyPair = createKeys();
  readonly #certificate: forge.pki.Certificate;

  constructor(name: string, now: number) {
    this.#certificate = createCertificate(this.#key.publicKey, {
      names: [name],
      notBefore: now - dayMs,
      notAfter: now + 3650 * dayMs,
    });
    this.#certificate.setIssuer(this.#certificate.subject.attributes);
    this.#certificate.setExtensions([
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ]);
    this.#certificate.sign(this.#key.privateKey, forge.md.sha256.create());
  }

  /** The certificate of the authority, in PEM. */
  get certificate(): string {
    return forge.pki.certificateToPem(this.#certificate);
  }

  /** Issues a certificate for some names. */
  issue(options: CertificateOptions): KeyAndCertificate {
    return sign(options, this.#serverKey, {
      key: this.#key.privateKey,
      name: this.#certificate.subject.attributes,
    });
  }
}

/** Creates a certificate that is signed with its own key. */
export function selfSigned(options: CertificateOptions): KeyAndCertificate {
  return sign(options, createKeys());
}

const dayMs = 24 * 60 * 60 * 1000;

interface Issuer {
  readonly key: forge.pki.rsa.PrivateKey;
  readonly name: forge.pki.CertificateField[];
}

function sign(
  options: CertificateOptions,
  keys: forge.pki.rsa.KeyPair,
  issuer?: Issuer,
): KeyAndCertificate {
  const certificate = createCertificate(keys.publicKey, options);
  certificate.setIssuer(issuer?.name ?? certificate.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    // Type 2 is a DNS name (RFC 5280 section 4.2.1.6).
    { name: 'subjectAltName', altNames: options.names.map((value) => ({ type: 2, value })) },
  ]);
  certificate.sign(issuer?.key ?? keys.privateKey, forge.md.sha256.create());
  return {
    key: forge.pki.privateKeyToPem(keys.privateKey),
    cert: forge.pki.certificateToPem(certificate),
  };
}

function createCertificate(
  publicKey: forge.pki.rsa.PublicKey,
  { names, organization, notBefore, notAfter }: CertificateOptions,
): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = publicKey;
  // DER requires a first byte from 0x01 to 0x7f for a positive number without padding.
  certificate.serialNumber = `4${randomBytes(16).toString('hex').slice(1)}`;
  certificate.validity.notBefore = new Date(notBefore);
  certificate.validity.notAfter = new Date(notAfter);
  certificate.setSubject([
    { name: 'commonName', value: names[0] ?? '' },
    ...(organization === undefined ? [] : [{ name: 'organizationName', value: organization }]),
  ]);
  return certificate;
}

/** Generates keys with OpenSSL, because node-forge takes seconds for it. */
function createKeys(): forge.pki.rsa.KeyPair {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const key = forge.pki.privateKeyFromPem(privateKey);
  return { privateKey: key, publicKey: forge.pki.rsa.setPublicKey(key.n, key.e) };
}
