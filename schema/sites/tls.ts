import type { TlsScan } from '../../src/sites/tls/tls-scan.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { dataField, listField, SiteResultType } from './site-result.ts';
import {
  TlsCertificateType,
  TlsCipherCategoryType,
  TlsFindingType,
  TlsProfileType,
  TlsProtocolType,
} from './tls-parts.ts';

const field = <R>(read: (scan: TlsScan) => R | null) => dataField(read);

export const TlsType = builder.objectRef<Outcome<TlsScan>>('Tls').implement({
  interfaces: [SiteResultType],
  description:
    'What the server of a site offers over TLS, at one of its addresses. Only what a connection shows: SSLv2, SSLv3 and ' +
    'implementation faults such as Heartbleed are not tested (see `notes`), and no finding proves that a server is secure.',
  fields: (t) => ({
    host: t.string({
      nullable: true,
      description: 'The host name that was sent (SNI).',
      resolve: field(({ host }) => host),
    }),
    port: t.int({
      nullable: true,
      description: 'The port, 443.',
      resolve: field(({ port }) => port),
    }),
    address: t.string({
      nullable: true,
      description:
        'The address that was scanned. Other addresses of the host may differ. Null if the operator or the sandbox set it.',
      resolve: field(({ address }) => address),
    }),
    profile: t.field({
      type: TlsProfileType,
      nullable: true,
      description: 'What was tested.',
      resolve: field(({ profile }) => (profile === 'full' ? 'FULL' : 'STANDARD')),
    }),
    protocols: t.field({
      type: [TlsProtocolType],
      nullable: true,
      description: 'The versions of TLS, oldest first.',
      resolve: listField(({ protocols }: TlsScan) => protocols),
    }),
    supportsHttp2: t.boolean({
      nullable: true,
      description: 'Whether the server selects HTTP/2 (ALPN); null if that is unknown.',
      resolve: field(({ supportsHttp2 }) => supportsHttp2),
    }),
  }),
});

builder.objectFields(TlsType, (t) => ({
  defaultProtocol: t.string({
    nullable: true,
    description: 'The version that the server selects by default.',
    resolve: field(({ defaultProtocol }) => defaultProtocol),
  }),
  defaultCipher: t.string({
    nullable: true,
    description: 'The cipher that the server selects by default, in the spelling of OpenSSL.',
    resolve: field(({ defaultCipher }) => defaultCipher),
  }),
  keyExchange: t.string({
    nullable: true,
    description: 'The ephemeral key of the default connection, such as `X25519`; null without one.',
    resolve: field(({ keyExchange }) => keyExchange),
  }),
  cipherCategories: t.field({
    type: [TlsCipherCategoryType],
    nullable: true,
    description: 'The categories of ciphers that were probed; empty with the profile STANDARD.',
    resolve: listField(({ cipherCategories }: TlsScan) => cipherCategories),
  }),
  forwardSecrecy: t.boolean({
    nullable: true,
    description:
      'Whether every protocol that is offered selects a key exchange with forward secrecy; null if that is unknown.',
    resolve: field(({ hasForwardSecrecy }) => hasForwardSecrecy),
  }),
}));

builder.objectFields(TlsType, (t) => ({
  certificates: t.field({
    type: [TlsCertificateType],
    nullable: true,
    description: "The certificates that the server sent, the server's own first.",
    resolve: listField(({ certificates }: TlsScan) => certificates),
  }),
  trusted: t.boolean({
    nullable: true,
    description:
      'Whether the certificate is valid for the host, in time, and issued by a CA that Node.js trusts. Browsers may differ. ' +
      'Null if the server ended the handshake because no client certificate was sent.',
    resolve: field(({ isTrusted }) => isTrusted),
  }),
  trustError: t.string({
    nullable: true,
    description:
      "OpenSSL's reason, such as `CERT_HAS_EXPIRED`; null if it is trusted or that is unknown.",
    resolve: field(({ trustError }) => trustError),
  }),
  matchesHost: t.boolean({
    nullable: true,
    description: 'Whether the certificate is valid for the host; null if none was sent.',
    resolve: field(({ matchesHost }) => matchesHost),
  }),
  ocspStaple: t.boolean({
    nullable: true,
    description: 'Whether the server staples an OCSP response, which is not checked.',
    resolve: field(({ hasOcspStaple }) => hasOcspStaple),
  }),
}));

builder.objectFields(TlsType, (t) => ({
  findings: t.field({
    type: [TlsFindingType],
    nullable: true,
    description: 'Statements about the scan, by section.',
    resolve: listField(({ findings }: TlsScan) => findings),
  }),
  durationMs: t.float({
    nullable: true,
    description: 'How long the scan took, in milliseconds.',
    resolve: field(({ durationMs }) => durationMs),
  }),
  notes: t.stringList({
    nullable: true,
    description: 'What was not tested.',
    resolve: listField(({ notes }: TlsScan) => notes),
  }),
}));
