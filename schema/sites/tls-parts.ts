import type {
  TlsCertificate,
  TlsCipherCategory,
  TlsFinding,
  TlsProtocol,
} from '../../src/sites/tls/tls-scan.ts';
import { builder } from '../builder.ts';

// The values are the names: graphql-jit coerces variables that are coerced already.
export const TlsProfileType = builder.enumType('TlsProfile', {
  description: 'What a TLS scan tests.',
  values: {
    STANDARD: { description: 'Protocols, the default connection and the certificates.' },
    FULL: { description: 'Also the categories of ciphers, one connection each.' },
  } as const,
});

export const TlsProtocolType = builder.objectRef<TlsProtocol>('TlsProtocol').implement({
  description: 'A version of TLS.',
  fields: (t) => ({
    version: t.exposeString('version', {
      description: '`TLSv1`, `TLSv1.1`, `TLSv1.2` or `TLSv1.3`.',
    }),
    offered: t.exposeBoolean('isOffered', {
      nullable: true,
      description: 'Whether the server offers it; null if the probe failed for another reason.',
    }),
  }),
});

export const TlsCipherCategoryType = builder
  .objectRef<TlsCipherCategory>('TlsCipherCategory')
  .implement({
    description: 'A category of ciphers of TLS 1.0 to 1.2.',
    fields: (t) => ({
      category: t.exposeString('id', {
        description:
          '`null`, `anonymous`, `export_or_low`, `rc4`, `triple_des`, `static_rsa`, `cbc` or `aead`. Values may be added.',
      }),
      offered: t.exposeBoolean('isOffered', {
        nullable: true,
        description: 'Whether the server selects such a cipher; null if the probe failed.',
      }),
    }),
  });

export const TlsCertificateType = builder.objectRef<TlsCertificate>('TlsCertificate').implement({
  description: 'A certificate that a server sent.',
  fields: (t) => ({
    subject: t.exposeString('subject', {
      nullable: true,
      description: 'Common name of the subject.',
    }),
    organization: t.exposeString('organization', {
      nullable: true,
      description: 'Organization of the subject; null if there is none.',
    }),
    issuer: t.exposeString('issuer', { nullable: true, description: 'Name of the issuer.' }),
    names: t.exposeStringList('names', { description: 'The DNS names for which it is valid.' }),
    serialNumber: t.exposeString('serialNumber', { description: 'Serial number, hexadecimal.' }),
    notBefore: t.expose('notBefore', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of validity; null if it cannot be read.',
    }),
    notAfter: t.expose('notAfter', {
      type: 'DateTime',
      nullable: true,
      description: 'End of validity; null if it cannot be read.',
    }),
    keyType: t.exposeString('keyType', { nullable: true, description: 'Type of the public key.' }),
    keySize: t.exposeInt('keySize', {
      nullable: true,
      description: 'Size of the public key in bits; null if unknown.',
    }),
    signatureAlgorithm: t.exposeString('signatureAlgorithm', {
      nullable: true,
      description:
        'In the spelling of OpenSSL, such as `sha256WithRSAEncryption`; null if unknown.',
    }),
    fingerprintSha256: t.exposeString('fingerprintSha256', {
      description: 'SHA-256 fingerprint in lower-case hexadecimal digits.',
    }),
  }),
});

export const TlsFindingType = builder.objectRef<TlsFinding>('TlsFinding').implement({
  description: 'A statement about a TLS scan.',
  fields: (t) => ({
    findingId: t.exposeString('id', { description: 'A stable identifier, such as `tls_1_0`.' }),
    section: t.exposeString('section', {
      description:
        '`protocols`, `server_defaults`, `cipher_categories` or `forward_secrecy`. Values may be added.',
    }),
    severity: t.exposeString('severity', {
      description: '`critical`, `high`, `medium`, `low`, `info` or `ok`.',
    }),
    finding: t.exposeString('finding', { description: 'The finding, as a sentence.' }),
  }),
});
