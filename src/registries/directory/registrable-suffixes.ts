import type { SplitName } from '../../domain/domain-name.ts';
import labelsByTld from './registrable-suffixes.json' with { type: 'json' };

/**
 * Multi-label suffixes under which the TLD's registry sells names itself, so that its "not found"
 * is proof there too. Others, such as ac.uk or gov.in, may be run by another organization. Source:
 * the registries' lists of open second-level domains.
 */
const registrableSuffixes = new Set(
  Object.entries(labelsByTld).flatMap(([tld, labels]) =>
    labels.split(' ').map((label) => `${label}.${tld}`),
  ),
);

/** The suffixes under which servers have found names. */
export interface FoundSuffixes {
  has(suffix: string, baseUrl: string): boolean;
  add(suffix: string, baseUrl: string): void;
}

/**
 * Creates the policy for the "not found" of a TLD's registry. It is proof for names directly under
 * an entry of the directory, under a registrable suffix, and under a suffix for which this server
 * has found a name before.
 */
export function suffixPolicy(
  baseUrl: string,
  isEntry: (suffix: string) => boolean,
  found: FoundSuffixes,
) {
  return {
    trustsNotFound({ suffix }: SplitName): boolean {
      return (
        !suffix.includes('.') ||
        isEntry(suffix) ||
        registrableSuffixes.has(suffix) ||
        found.has(suffix, baseUrl)
      );
    },
    recordFound({ suffix }: SplitName): void {
      if (suffix.includes('.') && !found.has(suffix, baseUrl)) found.add(suffix, baseUrl);
    },
  };
}
