/** A named set of TLDs, to be searched as `tlds: ["@popular"]`. */
interface TldSet {
  /** Why these. */
  readonly reason: string;
  readonly tlds: readonly string[];
}

const splitWords = (text: string) => text.split(' ');

/** The sets, by the name that stands behind the `@`. */
export const tldSets: Readonly<Record<string, TldSet>> = {
  popular: {
    reason: 'Where most names are registered, and what most people try first.',
    tlds: splitWords(
      'com net org info xyz online shop store site top app dev ai club live pro uk fr nl ca au in biz pl',
    ),
  },
  tech: {
    reason: 'What developers, products and start-ups choose.',
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
    reason: 'Country codes whose registries answer by RDAP and sell to anybody, or nearly.',
    tlds: splitWords('uk fr nl ca au in pl cz fi no id tw sg si is tv cc fm to ec'),
  },
  new: {
    reason: 'Generic TLDs of the last rounds that are still easy to find names in.',
    tlds: splitWords(
      'xyz online site top club live space fun life world today cyou icu bond sbs quest autos boats homes lol mom',
    ),
  },
  test: {
    reason: 'The built-in registry: works without a network, and costs nothing.',
    tlds: splitWords('test shop.test app.test dev.test'),
  },
};

/** The TLDs that an entry of a list stands for: a set's, or the entry itself. */
export function expandTldSet(entry: string): readonly string[] {
  const name = /^@([a-z]+)$/i.exec(entry.trim())?.[1]?.toLowerCase();
  return name !== undefined && Object.hasOwn(tldSets, name) ? (tldSets[name]?.tlds ?? []) : [entry];
}
