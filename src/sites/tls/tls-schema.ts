import { lookUp, maxAgeArg, type SiteField } from '../site-field.ts';
import { tlsLookup } from './tls-lookup.ts';
import { tlsProfileOf } from './tls-scan.ts';
import type {
  TlsScan,
  TlsCertificate,
  TlsCipherCategory,
  TlsFinding,
  TlsProtocol,
} from './tls-scan.ts';
import { builder, objectType, nullableStrings } from '../../schema/builder.ts';
import { siteResult } from '../site-result.ts';

// The values are the names: graphql-jit coerces variables that are coerced already.
export const TlsProfileType = builder.enumType('TlsProfile', {
  values: ['STANDARD', 'FULL'] as const,
});

const TlsProtocolType = objectType<TlsProtocol>('TlsProtocol', (t) => ({
  version: t.exposeString('version'),
  offered: t.exposeBoolean('isOffered', { nullable: true }),
}));

const TlsCipherCategoryType = objectType<TlsCipherCategory>('TlsCipherCategory', (t) => ({
  category: t.exposeString('id'),
  offered: t.exposeBoolean('isOffered', { nullable: true }),
}));

const TlsCertificateType = objectType<TlsCertificate>('TlsCertificate', (t) => ({
  ...nullableStrings(t, 'subject', 'organization', 'issuer'),
  names: t.exposeStringList('names'),
  serialNumber: t.exposeString('serialNumber'),
  notBefore: t.expose('notBefore', { type: 'DateTime', nullable: true }),
  notAfter: t.expose('notAfter', { type: 'DateTime', nullable: true }),
  keyType: t.exposeString('keyType', { nullable: true }),
  keySize: t.exposeInt('keySize', { nullable: true }),
  signatureAlgorithm: t.exposeString('signatureAlgorithm', { nullable: true }),
  fingerprintSha256: t.exposeString('fingerprintSha256'),
}));

const TlsFindingType = objectType<TlsFinding>('TlsFinding', (t) => ({
  findingId: t.exposeString('id'),
  section: t.exposeString('section'),
  severity: t.exposeString('severity'),
  finding: t.exposeString('finding'),
}));

export const TlsType = siteResult<TlsScan>('Tls', (t, field) => ({
  host: t.string(field('host')),
  port: t.int(field('port')),
  address: t.string(field('address')),
  profile: t.field({
    type: TlsProfileType,
    nullable: true,
    resolve: ({ data }) => data && (data.profile === 'full' ? 'FULL' : 'STANDARD'),
  }),
  protocols: t.field({ type: [TlsProtocolType], ...field('protocols') }),
  supportsHttp2: t.boolean(field('supportsHttp2')),
  defaultProtocol: t.string(field('defaultProtocol')),
  defaultCipher: t.string(field('defaultCipher')),
  keyExchange: t.string(field('keyExchange')),
  cipherCategories: t.field({ type: [TlsCipherCategoryType], ...field('cipherCategories') }),
  forwardSecrecy: t.boolean(field('hasForwardSecrecy')),
  certificates: t.field({ type: [TlsCertificateType], ...field('certificates') }),
  trusted: t.boolean(field('isTrusted')),
  trustError: t.string(field('trustError')),
  matchesHost: t.boolean(field('matchesHost')),
  ocspStaple: t.boolean(field('hasOcspStaple')),
  findings: t.field({ type: [TlsFindingType], ...field('findings') }),
  durationMs: t.float(field('durationMs')),
  notes: t.stringList(field('notes')),
}));

export const tlsField: SiteField = (t) =>
  t.field({
    type: TlsType,
    args: {
      profile: t.arg({ type: TlsProfileType, defaultValue: 'STANDARD', required: true }),
      ...maxAgeArg,
    },
    resolve: (site, { profile }, context) =>
      lookUp(tlsLookup, site, context, tlsProfileOf(profile)),
  });
