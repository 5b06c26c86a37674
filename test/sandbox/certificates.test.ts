import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { CertificateAuthority } from '../../src/sandbox/certificates.ts';

const validity = { names: ['a.test'], notBefore: Date.UTC(2026, 0), notAfter: Date.UTC(2027, 0) };

it('issues certificates whose serial number is positive and needs no padding', () => {
  const authority = new CertificateAuthority('Test CA', Date.UTC(2026, 0));
  for (const { cert } of [authority.issue(validity), authority.issueSelfSigned(validity)])
    expect(new X509Certificate(cert).serialNumber).toMatch(/^[1-7][0-9A-F]{31}$/);
});
