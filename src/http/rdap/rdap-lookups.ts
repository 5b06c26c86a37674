import { domainLookup } from './domain-lookup.ts';
import { objectLookups } from './object-lookups.ts';
import type { RdapLookup } from './rdap-lookup.ts';

/** The types of lookups that `/rdap` supports. */
export const rdapLookups: readonly RdapLookup[] = [domainLookup, ...objectLookups];
