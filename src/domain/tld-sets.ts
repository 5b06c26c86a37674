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

/** `cctld`: country or territory; `gtld`: every other TLD. */
export type TldCategory = 'gtld' | 'cctld';

/**
 * Returns the type of a TLD. All two-letter ASCII labels are reserved for countries and
 * territories.
 */
export function tldTypeOf(label: string): TldCategory {
  return /^[a-z]{2}$/.test(label) || idnCountryCodes.has(label) ? 'cctld' : 'gtld';
}

/** The A-labels that IANA's root zone database lists as country-code TLDs. */
const idnCountryCodes: ReadonlySet<string> = new Set(
  `
  xn--2scrj9c xn--3e0b707e xn--3hcrj9c xn--45br5cyl xn--45brj9c xn--4dbrk0ce xn--54b7fta0cc xn--80ao21a xn--90a3ac xn--90ae xn--90ais
  xn--clchc0ea0b2g2a9gcd xn--d1alf xn--e1a4c xn--fiqs8s xn--fiqz9s xn--fpcrj9c3d xn--fzc2c9e2c xn--gecrj9c xn--h2breg3eve xn--h2brj9c
  xn--h2brj9c8c xn--j1amh xn--j6w193g xn--kprw13d xn--kpry57d xn--l1acc xn--lgbbat1ad8j xn--mgb9awbf xn--mgba3a4f16a xn--mgbaam7a8h
  xn--mgbah1a3hjkrd xn--mgbai9azgqp6j xn--mgbayh7gpa xn--mgbbh1a xn--mgbbh1a71e xn--mgbc0a9azcg xn--mgbcpq6gpa1a xn--mgberp4a5d4ar
  xn--mgbgu82a xn--mgbpl2fh xn--mgbtx2b xn--mgbx4cd0ab xn--mix891f xn--node xn--o3cw4h xn--ogbpf8fl xn--p1ai xn--pgbs0dh xn--q7ce6a
  xn--qxa6a xn--qxam xn--rvc1e0am3e xn--s9brj9c xn--wgbh1c xn--wgbl6a xn--xkc2al3hye2a xn--xkc2dl3a5ee0h xn--y9a3aq xn--yfro4i67o
  xn--ygbi2ammx
  `
    .trim()
    .split(/\s+/),
);
