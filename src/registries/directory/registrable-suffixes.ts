import type { SplitName } from '../../domain/domain-name.ts';

/**
 * Multi-label suffixes under which the TLD's registry sells names itself, so that its "not found"
 * is proof there too. Others, such as ac.uk or gov.in, may be run by another organization. Source:
 * the registries' lists of open second-level domains.
 */
const registrableByTld = {
  ae: 'co net org',
  ar: 'com net org',
  au: 'com net org id asn',
  br: 'com net org art blog dev eco emp eng ind inf log med ong rec srv tec tur tv wiki adv app',
  cn: 'com net org ac',
  cy: 'com net org',
  fj: 'com net org biz info',
  id: 'co or web my biz desa',
  in: 'co net org firm gen ind',
  kw: 'com net org',
  my: 'com net org name',
  nz: 'co net org geek gen kiwi maori school ac',
  pk: 'com net org biz',
  pl: 'com net org info biz edu',
  rw: 'co net org coop',
  sg: 'com net org edu',
  th: 'co in or ac',
  tw: 'com org idv net game ebiz club',
  ua: 'com net org',
  ug: 'co or com org ac sc',
  uk: 'co org me ltd plc net',
  uz: 'com co org net',
  za: 'co net org web',
} as const;

const registrableSuffixes = new Set(
  Object.entries(registrableByTld).flatMap(([tld, labels]) =>
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
