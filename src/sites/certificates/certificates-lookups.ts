import { keyOfHost, type Fact } from '../fact.ts';
import { certificatePageSizes, pageRequestOf, pageSizeOf, subdomainPageSizes } from '../pages.ts';
import { lookupOf } from '../site-lookup.ts';
import { pageOfCertificates, type CertificateList } from './certificate-list.ts';

/** The certificates of a name and of all names under it. */
const certificatesFact: Fact<CertificateList> = {
  name: 'certificates',
  from: 'search',
  keyOf: keyOfHost,
  async open({ search }) {
    const { certificatesReader } = await import('./certificates-reader.ts');
    if (search) return certificatesReader(search);
    return () => Promise.reject(new Error('no certificate search is configured'));
  },
  sandbox: async (...query) =>
    (await import('../sandbox/sandbox-facts.ts')).sandboxCertificates(...query),
};

export const certificatesLookup = lookupOf(certificatesFact, {
  price: 2,
  workMs: 2,
  about: 'host',
  check: ({ first, after }) =>
    void pageOfCertificates(
      [],
      pageRequestOf(pageSizeOf(first, certificatePageSizes, 'first'), after),
    ),
});

export const subdomainsLookup = lookupOf(certificatesFact, {
  name: 'subdomains',
  price: 4,
  workMs: 2,
  about: 'host',
  check: ({ first }) => void pageSizeOf(first, subdomainPageSizes, 'first'),
});
