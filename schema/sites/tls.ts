import type {
  TlsScan,
  TlsCertificate,
  TlsCipherCategory,
  TlsFinding,
  TlsProtocol,
} from '../../src/sites/tls/tls-scan.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { fieldOf, SiteResultType } from './site-result.ts';

// The values are the names: graphql-jit coerces variables that are coerced already.
export const TlsProfileType = builder.enumType('TlsProfile', {
  description: 'What a TLS scan tests.',
  values: {
    STANDARD: { description: 'Protocols, the default connection and the certificates.' },
    FULL: { description: 'Also the categories of ciphers, one connection each.' },
  } as const,
});

const TlsProtocolType = builder.objectRef<TlsProtocol>('TlsProtocol').implement({
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

const TlsCipherCategoryType = builder.objectRef<TlsCipherCategory>('TlsCipherCategory').implement({
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

const TlsCertificateType = builder.objectRef<TlsCertificate>('TlsCertificate').implement({
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

const TlsFindingType = builder.objectRef<TlsFinding>('TlsFinding').implement({
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

const field = fieldOf<TlsScan>();

export const TlsType = builder.objectRef<Outcome<TlsScan>>('Tls').implement({
  interfaces: [SiteResultType],
  description:
    'What the server of a site offers over TLS, at one of its addresses. Only what a connection shows: SSLv2, SSLv3 and ' +
    'implementation faults such as Heartbleed are not tested (see `notes`), and no finding proves that a server is secure.',
  fields: (t) => ({
    host: t.string(field('host', 'The host name that was sent (SNI).')),
    port: t.int(field('port', 'The port, 443.')),
    address: t.string(
      field(
        'address',
        'The address that was scanned. Other addresses of the host may differ. Null if the operator or the sandbox set it.',
      ),
    ),
    profile: t.field({
      type: TlsProfileType,
      nullable: true,
      description: 'What was tested.',
      resolve: ({ data }) => data && (data.profile === 'full' ? 'FULL' : 'STANDARD'),
    }),
    protocols: t.field({
      type: [TlsProtocolType],
      ...field('protocols', 'The versions of TLS, oldest first.'),
    }),
    supportsHttp2: t.boolean(
      field('supportsHttp2', 'Whether the server selects HTTP/2 (ALPN); null if that is unknown.'),
    ),
  }),
});

builder.objectFields(TlsType, (t) => ({
  defaultProtocol: t.string(
    field('defaultProtocol', 'The version that the server selects by default.'),
  ),
  defaultCipher: t.string(
    field(
      'defaultCipher',
      'The cipher that the server selects by default, in the spelling of OpenSSL.',
    ),
  ),
  keyExchange: t.string(
    field(
      'keyExchange',
      'The ephemeral key of the default connection, such as `X25519`; null without one.',
    ),
  ),
  cipherCategories: t.field({
    type: [TlsCipherCategoryType],
    ...field(
      'cipherCategories',
      'The categories of ciphers that were probed; empty with the profile STANDARD.',
    ),
  }),
  forwardSecrecy: t.boolean(
    field(
      'hasForwardSecrecy',
      'Whether every protocol that is offered selects a key exchange with forward secrecy; null if that is unknown.',
    ),
  ),
}));

builder.objectFields(TlsType, (t) => ({
  certificates: t.field({
    type: [TlsCertificateType],
    ...field('certificates', "The certificates that the server sent, the server's own first."),
  }),
  trusted: t.boolean(
    field(
      'isTrusted',
      'Whether the certificate is valid for the host, in time, and issued by a CA that Node.js trusts. Browsers may differ. ' +
        'Null if the server ended the handshake because no client certificate was sent.',
    ),
  ),
  trustError: t.string(
    field(
      'trustError',
      "OpenSSL's reason, such as `CERT_HAS_EXPIRED`; null if it is trusted or that is unknown.",
    ),
  ),
  matchesHost: t.boolean(
    field('matchesHost', 'Whether the certificate is valid for the host; null if none was sent.'),
  ),
  ocspStaple: t.boolean(
    field('hasOcspStaple', 'Whether the server staples an OCSP response, which is not checked.'),
  ),
}));

builder.objectFields(TlsType, (t) => ({
  findings: t.field({
    type: [TlsFindingType],
    ...field('findings', 'Statements about the scan, by section.'),
  }),
  durationMs: t.float(field('durationMs', 'How long the scan took, in milliseconds.')),
  notes: t.stringList(field('notes', 'What was not tested.')),
}));
