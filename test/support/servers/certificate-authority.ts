import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
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
  readonly #keys = createKeys();
  /** One for all servers, because generating keys takes most of the time. */
  readonly #serverKeys = createKeys();
  readonly #certificate: forge.pki.Certificate;

  constructor(name: string, now: number) {
    this.#certificate = createCertificate(this.#keys.publicKey, {
      names: [name],
      notBefore: now - dayMs,
      notAfter: now + 3650 * dayMs,
    });
    this.#certificate.setIssuer(this.#certificate.subject.attributes);
    this.#certificate.setExtensions([
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ]);
    signCertificate(this.#certificate, this.#keys.privateKey);
  }

  /** The certificate of the authority, in PEM. */
  get certificate(): string {
    return forge.pki.certificateToPem(this.#certificate);
  }

  /** Issues a certificate for some names. */
  issue(options: CertificateOptions): KeyAndCertificate {
    return createServerCertificate(options, this.#serverKeys, {
      key: this.#keys.privateKey,
      name: this.#certificate.subject.attributes,
    });
  }

  /** Creates a certificate that is signed with the key of the servers, so that it is its own CA. */
  issueSelfSigned(options: CertificateOptions): KeyAndCertificate {
    return createServerCertificate(options, this.#serverKeys);
  }
}

const dayMs = 24 * 60 * 60 * 1000;

interface Issuer {
  readonly key: KeyObject;
  readonly name: forge.pki.CertificateField[];
}

function createServerCertificate(
  options: CertificateOptions,
  keys: ReturnType<typeof createKeys>,
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
  signCertificate(certificate, issuer?.key ?? keys.privateKey);
  return { key: keys.privateKeyPem, cert: forge.pki.certificateToPem(certificate) };
}

/** Signs with OpenSSL: node-forge takes ten times as long. */
function signCertificate(certificate: forge.pki.Certificate, key: KeyObject): void {
  const signer = {
    sign: () => {
      const content = forge.asn1.toDer(certificate.tbsCertificate).getBytes();
      return sign('sha256', Buffer.from(content, 'latin1'), key).toString('latin1');
    },
  };
  certificate.sign(signer as unknown as forge.pki.rsa.PrivateKey, forge.md.sha256.create());
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
function createKeys() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const privateKeyPem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const { n, e } = forge.pki.privateKeyFromPem(privateKeyPem);
  return { privateKey, privateKeyPem, publicKey: forge.pki.rsa.setPublicKey(n, e) };
}
