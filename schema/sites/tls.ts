import type { TlsScan } from '../../src/sites/tls/tls-scan.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { fieldOf, SiteResultType } from './site-result.ts';
import {
  TlsCertificateType,
  TlsCipherCategoryType,
  TlsFindingType,
  TlsProfileType,
  TlsProtocolType,
} from './tls-parts.ts';

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
