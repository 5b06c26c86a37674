import { keyOfHost, type Fact } from '../fact.ts';
import { lookupOf } from '../site-lookup.ts';
import type { DnsRecords } from './dns-records.ts';

export const dnsFact: Fact<DnsRecords> = {
  name: 'dns',
  from: 'dns',
  keyOf: keyOfHost,
  open: async ({ records }) => (await import('./dns-reader.ts')).dnsReader(records),
  sandbox: async (query) => (await import('../sandbox/sandbox-facts.ts')).sandboxRecords(query),
};

export const dnsLookup = lookupOf(dnsFact, { price: 1, workMs: 1, about: 'host' });
