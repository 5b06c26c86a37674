import { describe, expect, it } from 'vitest';
import type { TlsScan } from '../../../src/sites/tls/describe-scan.ts';
import { testTls } from '../../support/servers/tls.ts';
import { authority, host, issue, ownCertificate, scan, startTls, valid } from './scanning.ts';

const dayMs = 24 * 60 * 60 * 1000;
const idsOf = ({ findings }: TlsScan) => findings.map(({ id }) => id);

describe('the certificate of a site', () => {
  it.each([
    ['expired', issue(-90, -1), 'CERT_HAS_EXPIRED', 'certificate_expired'],
    ['not yet valid', issue(1, 90), 'CERT_NOT_YET_VALID', 'certificate_not_yet_valid'],
    [
      'of another name',
      issue(-1, 90, ['other.test']),
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'certificate_wrong_name',
    ],
    ['self-signed', ownCertificate, 'DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate_self_signed'],
  ])('is reported if it is %s', async (_case, certificate, trustError, finding) => {
    await using site = await startTls(certificate);
    const result = await scan(site.port);
    expect(result).toMatchObject({ isTrusted: false, trustError });
    expect(idsOf(result)).toContain(finding);
  });

  it('is reported if its issuer is unknown and no intermediate was sent', async () => {
    await using site = await startTls();
    const result = await scan(site.port, { ca: testTls.cert });
    expect(result).toMatchObject({ isTrusted: false, matchesHost: true });
    expect(idsOf(result)).toContain('certificate_chain_incomplete');
  });

  it('is reported as expired and of another name, though OpenSSL has one reason', async () => {
    await using site = await startTls(issue(-90, -1, ['other.test']));
    const ids = idsOf(await scan(site.port));
    expect(ids).toEqual(expect.arrayContaining(['certificate_expired', 'certificate_wrong_name']));
  });

  it('is described with names, dates, key and issuer, and so is the chain', async () => {
    const { key, cert } = issue(-1, 10, [host, '*.site.test']);
    await using site = await startTls({ key, cert: cert + authority.certificate });
    const result = await scan(site.port);
    expect(result.certificates).toHaveLength(2);
    expect(result.certificates[0]).toMatchObject({
      subject: host,
      issuer: 'Test CA',
      names: [host, '*.site.test'],
      keyType: 'rsa',
      keySize: 2048,
      signatureAlgorithm: 'sha256WithRSAEncryption',
      fingerprintSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const { notBefore, notAfter } = result.certificates[0] ?? {};
    expect((notAfter ?? 0) - (notBefore ?? 0)).toBe(11 * dayMs);
    expect(idsOf(result)).toContain('certificate_expires_soon');
  });

  it('has no dates if they cannot be read', async () => {
    await using site = await startTls(issue(-1, NaN));
    // Node.js returns a random date for about one of ten such certificates.
    for (let scans = 0; scans < 20; scans += 1) {
      const result = await scan(site.port);
      expect(result).toMatchObject({ trustError: 'ERROR_IN_CERT_NOT_AFTER_FIELD' });
      expect(result.certificates[0]).toMatchObject({ notAfter: null });
      expect(result.findings.map(({ finding }) => finding).join(' ')).not.toContain('1970');
    }
  });

  it('is trusted if its CA is the one of the site', async () => {
    await using site = await startTls(valid);
    expect(await scan(site.port)).toMatchObject({
      isTrusted: true,
      trustError: null,
      matchesHost: true,
    });
  });

  it('may have an EC key', async () => {
    await using site = await startTls(testTls);
    const [certificate] = (await scan(site.port)).certificates;
    expect(certificate).toMatchObject({ keyType: 'ec', keySize: 256, organization: null });
  });
});
