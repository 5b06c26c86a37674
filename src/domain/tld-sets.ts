/** A named set of TLDs, used as `tlds: ["@popular"]`. */
interface TldSet {
  /** The selection criterion. */
  readonly reason: string;
  readonly tlds: readonly string[];
}

const splitWords = (text: string) => text.split(' ');

/** The sets by name, without `@`. */
export const tldSets: Readonly<Record<string, TldSet>> = {
  popular: {
    reason: 'The TLDs with the most registrations, and those that most people try first.',
    tlds: splitWords(
      'com net org io co ai app dev me info xyz online shop store site top club live pro de uk eu us fr nl ch ca au in biz pl',
    ),
  },
  tech: {
    reason: 'Popular with developers and startups.',
    tlds: splitWords(
      'dev app ai io co me sh ac tech cloud codes computer data digital engineering games host hosting network page run software solutions studio systems technology tools',
    ),
  },
  business: {
    reason: 'Shops, offices and services.',
    tlds: splitWords(
      'shop store boutique market sale deals shopping agency company consulting express finance group international law marketing partners services ventures',
    ),
  },
  country: {
    reason: 'Popular country codes, and .eu. Some require a local presence.',
    tlds: splitWords(
      'de uk fr nl eu us ch be ca au in pl cz lt li fi no id tw sg si is io co me tv cc fm to ec',
    ),
  },
  new: {
    reason: 'Newer generic TLDs in which many names are still available.',
    tlds: splitWords(
      'xyz online site top club live space fun life world today cyou icu bond sbs quest autos boats homes lol mom',
    ),
  },
  test: {
    reason: 'The built-in sandbox: works offline and costs no credits.',
    tlds: splitWords('test shop.test app.test dev.test'),
  },
};

/** Expands an entry of a list of TLDs: returns the TLDs of a set, or the entry itself. */
export function expandTldSet(entry: string): readonly string[] {
  const name = /^@([a-z]+)$/i.exec(entry.trim())?.[1]?.toLowerCase();
  return name !== undefined && Object.hasOwn(tldSets, name) ? (tldSets[name]?.tlds ?? []) : [entry];
}
