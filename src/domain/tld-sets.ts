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
      'com net org info xyz online shop store site top app dev ai club live pro uk fr nl ca au in biz pl',
    ),
  },
  tech: {
    reason: 'Popular with developers and startups.',
    tlds: splitWords(
      'dev app ai tech cloud codes computer data digital engineering games host hosting network page run software solutions studio systems technology tools',
    ),
  },
  business: {
    reason: 'Shops, offices and services.',
    tlds: splitWords(
      'shop store boutique market sale deals shopping agency company consulting express finance group international law marketing partners services ventures',
    ),
  },
  country: {
    reason: 'Country codes with RDAP and few or no eligibility rules.',
    tlds: splitWords('uk fr nl ca au in pl cz fi no id tw sg si is tv cc fm to ec'),
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
