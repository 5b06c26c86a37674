import { keyOfHost, type Fact } from '../fact.ts';
import type { CertificateList } from './certificate-list.ts';

/** The certificates of a name and of all names under it. */
export const certificatesFact: Fact<CertificateList> = {
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

export const searchProblems = ['ct_unavailable', 'site_timeout'] as const;

export const warningsText = 'What is missing or uncertain.';

/** Returns what is missing because the search returned too much. */
export function warningsOf(truncated: boolean): readonly string[] {
  return truncated ? ['Certificates may be missing, because there are too many.'] : [];
}
