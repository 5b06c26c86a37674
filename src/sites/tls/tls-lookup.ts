import { keyOfHost, type Fact } from '../fact.ts';
import { lookupOf } from '../site-lookup.ts';
import type { TlsScan } from './tls-scan.ts';

const tlsFact: Fact<TlsScan> = {
  name: 'tls',
  from: 'site',
  keyOf: (query) => `${query.profile ?? 'standard'} ${keyOfHost(query)}`,
  isTemporary: hasFailedProbe,
  open: async ({ tls }) => (await import('./tls-reader.ts')).tlsReader(tls),
  sandbox: async (...query) => (await import('../sandbox/sandbox-facts.ts')).sandboxScan(...query),
};

export const tlsLookup = lookupOf(tlsFact, { price: 10, workMs: 30, about: 'host' });

function hasFailedProbe({ protocols, cipherCategories, supportsHttp2 }: TlsScan): boolean {
  const results = [...protocols, ...cipherCategories].map(({ isOffered }) => isOffered);
  return [...results, supportsHttp2].includes(null);
}
