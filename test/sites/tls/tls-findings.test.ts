import { describe, expect, it } from 'vitest';
import { summarizeTls, tlsFindings } from '../../../src/sites/tls/tls-findings.ts';
import type { TlsScan } from '../../../src/sites/tls/describe-scan.ts';
import type { TlsCertificate } from '../../../src/sites/tls/tls-scan.ts';

const now = Date.UTC(2026, 10, 24);
const dayMs = 24 * 60 * 60 * 1000;

const certificate: TlsCertificate = {
  subject: 'site.test',
  organization: null,
  issuer: 'Test CA',
  names: ['site.test'],
  serialNumber: '01',
  notBefore: now - dayMs,
  notAfter: now + 90 * dayMs,
  keyType: 'rsa',
  keySize: 2048,
  signatureAlgorithm: 'sha256WithRSAEncryption',
  fingerprintSha256: '00',
};

const modern: Omit<TlsScan, 'findings'> = {
  host: 'site.test',
  port: 443,
  address: '192.0.2.1',
  protocols: [
    { version: 'TLSv1', isOffered: false },
    { version: 'TLSv1.1', isOffered: false },
    { version: 'TLSv1.2', isOffered: true },
    { version: 'TLSv1.3', isOffered: true },
  ],
  supportsHttp2: true,
  defaultCipher: 'TLS_AES_256_GCM_SHA384',
  defaultProtocol: 'TLSv1.3',
  keyExchange: 'X25519',
  cipherCategories: [],
  hasForwardSecrecy: true,
  certificates: [certificate],
  isTrusted: true,
  trustError: null,
  matchesHost: true,
  hasOcspStaple: false,
  profile: 'standard',
  durationMs: 1,
  notes: [],
};

/** Returns the findings that are not `ok` or `info`, as `severity id`. */
function actionable(scan: Partial<TlsScan>): readonly string[] {
  return tlsFindings({ ...modern, ...scan }, now)
    .filter(({ severity }) => severity !== 'ok' && severity !== 'info')
    .map(({ id, severity }) => `${severity} ${id}`);
}
const withCertificate = (changes: Partial<TlsCertificate>) =>
  actionable({ certificates: [{ ...certificate, ...changes }] });

describe('the findings of a TLS scan', () => {
  it('contain nothing to act on for a modern server', () => expect(actionable({})).toEqual([]));

  it.each([
    [30, []],
    [29.9, ['low certificate_expires_soon']],
    [14, ['low certificate_expires_soon']],
    [13.9, ['medium certificate_expires_soon']],
    [0, ['medium certificate_expires_soon']],
    [-0.1, ['critical certificate_expired']],
  ])('contain the expiry of a certificate in %d days: %j', (days, expected) =>
    expect(withCertificate({ notAfter: now + days * dayMs })).toEqual(expected),
  );

  it.each([
    ['rsa', 2047, ['high certificate_weak_key']],
    ['rsa', 2048, []],
    ['ec', 223, ['high certificate_weak_key']],
    ['ec', 224, []],
    ['ed25519', null, []],
  ] as const)('contain a weak %s key of %s bits: %j', (keyType, keySize, expected) =>
    expect(withCertificate({ keyType, keySize })).toEqual(expected),
  );

  it.each(['sha1WithRSAEncryption', 'ecdsa-with-SHA1', 'md5WithRSAEncryption', 'dsa-with-SHA-1'])(
    'contain the signature algorithm %s',
    (signatureAlgorithm) =>
      expect(withCertificate({ signatureAlgorithm })).toEqual(['high certificate_weak_signature']),
  );

  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', ['high certificate_self_signed']],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', ['high certificate_chain_incomplete']],
    ['SELF_SIGNED_CERT_IN_CHAIN', ['high certificate_untrusted']],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', ['high certificate_untrusted']],
    ['CERT_HAS_EXPIRED', ['high certificate_chain_expired']],
    ['CERT_NOT_YET_VALID', ['high certificate_chain_not_yet_valid']],
    ['ERR_TLS_CERT_ALTNAME_INVALID', ['high certificate_not_accepted']],
    ['INVALID_PURPOSE', ['high certificate_not_accepted']],
    ['CERT_SIGNATURE_FAILURE', ['high certificate_not_accepted']],
  ])('contain the reason %s', (trustError, expected) =>
    expect(actionable({ isTrusted: false, trustError })).toEqual(expected),
  );

  it.each([
    ['CERT_HAS_EXPIRED', { notAfter: now - dayMs }, ['critical certificate_expired']],
    ['CERT_NOT_YET_VALID', { notBefore: now + dayMs }, ['critical certificate_not_yet_valid']],
    [
      'CERT_HAS_EXPIRED',
      { notBefore: now + dayMs },
      ['critical certificate_not_yet_valid', 'high certificate_chain_expired'],
    ],
    ['ERROR_IN_CERT_NOT_AFTER_FIELD', { notAfter: null }, ['high certificate_dates_unreadable']],
    ['ERROR_IN_CERT_NOT_BEFORE_FIELD', { notBefore: null }, ['high certificate_dates_unreadable']],
  ])(
    'contain the reason %s once if it is that of the certificate: %j',
    (error, dates, expected) => {
      const certificates = [{ ...certificate, ...dates }];
      expect(actionable({ certificates, isTrusted: false, trustError: error })).toEqual(expected);
    },
  );

  it('contain a wrong name once', () => {
    const trustError = 'ERR_TLS_CERT_ALTNAME_INVALID';
    expect(actionable({ matchesHost: false, isTrusted: false, trustError })).toEqual([
      'critical certificate_wrong_name',
    ]);
  });

  it('name the reason why a certificate is not accepted', () => {
    const findings = tlsFindings(
      { ...modern, isTrusted: false, trustError: 'INVALID_PURPOSE' },
      now,
    );
    expect(findings.map(({ finding }) => finding)).toContain(
      'The certificate is not accepted (INVALID_PURPOSE).',
    );
  });

  it('contain a missing certificate once', () =>
    expect(actionable({ certificates: [], matchesHost: null })).toEqual([
      'critical no_certificate',
    ]));

  it('do not claim what a failed probe did not show', () => {
    const protocols = modern.protocols.map(({ version }) => ({ version, isOffered: null }));
    const cipherCategories = [{ id: 'null' as const, isOffered: null }];
    const unknown = { supportsHttp2: null, hasForwardSecrecy: null };
    const scan = { ...modern, protocols, cipherCategories, ...unknown };
    expect(actionable(scan)).toEqual([]);
    const findings = tlsFindings(scan, now);
    expect(findings.filter(({ finding }) => /unknown|failed/.test(finding))).toHaveLength(7);
    expect(summarizeTls({ ...scan, findings })).toMatchObject({
      supportsTls13: null,
      supportsHttp2: null,
      protocolsOffered: [],
    });
  });

  it('are counted by severity', () => {
    const protocols = modern.protocols.map(({ version }) => ({ version, isOffered: true }));
    const scan = { ...modern, protocols };
    const summary = summarizeTls({ ...scan, findings: tlsFindings(scan, now) });
    expect(summary).toMatchObject({
      severityCounts: { critical: 0, high: 2, medium: 0, low: 0, info: 2 },
      actionableFindings: 2,
      deprecatedProtocols: ['TLSv1', 'TLSv1.1'],
      supportsTls13: true,
    });
  });
});
