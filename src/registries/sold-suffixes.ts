import { splitName } from '../domain/domain-name.ts';
import type { RdapServer } from './rdap-source.ts';

/**
 * Suffixes of more than one label that the TLD's registry sells itself, so that its "not found" is proof for names under them too.
 * Others, such as ac.uk or gov.in, are kept by somebody else; names under them are believed once the registry has answered 200 for one.
 * From the registries' own lists of open second-level domains.
 */
const soldByTld = {
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

const sold = new Set(Object.entries(soldByTld).flatMap(([tld, labels]) => labels.split(' ').map((label) => `${label}.${tld}`)));

/**
 * Whose "not found" is proof: the TLD's registry's for names right under an entry of the directory, under a suffix that it sells, and under
 * one for which it has answered 200 before: `known` holds the notes that `onLearned` was given earlier.
 */
export function suffixTrust(
  baseUrl: string,
  isEntry: (suffix: string) => boolean,
  known: ReadonlySet<string>,
  onLearned: (note: string) => void,
): Pick<RdapServer, 'absenceCounts' | 'learn'> {
  const learned = new Set(known);
  // What one server finds says nothing of what another does not.
  const noteOf = (suffix: string) => `${suffix} ${baseUrl}`;
  return {
    absenceCounts(name) {
      const { suffix } = splitName(name);
      return !suffix.includes('.') || isEntry(suffix) || sold.has(suffix) || learned.has(noteOf(suffix));
    },
    learn(name) {
      const { suffix } = splitName(name);
      if (!suffix.includes('.') || learned.has(noteOf(suffix))) return;
      learned.add(noteOf(suffix));
      onLearned(noteOf(suffix));
    },
  };
}
