import { mapOutcome } from '../../domain/outcome.ts';
import { addressesOf } from '../../schema/objects/object-row.ts';
import { keyOfHost, type Fact } from '../fact.ts';
import { resultField, type Feature } from '../site-field.ts';
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

/** The feature `dns`: the DNS records of a name. */
export const dns = {
  lookup: dnsLookup,
  field: resultField('Dns', dnsLookup, (outcome, args, { domain }, { lookup }) => {
    const maxAge = args.maxAge ?? lookup.maxAgeOf({ id: domain });
    return mapOutcome(outcome, (records) => ({
      ...records,
      get addresses() {
        return addressesOf([records.a, records.aaaa], maxAge);
      },
    }));
  }),
} satisfies Feature;
