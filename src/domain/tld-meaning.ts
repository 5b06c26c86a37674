import { oncePerObject } from '../shared/memoize.ts';
import type { Tld } from './catalogue.ts';
import { tldOf, toUnicodeName } from './domain-name.ts';
import { regionOf, tldSets } from './tld-sets.ts';

/**
 * Returns whether a TLD contains a text, or is about it: each word is one of the country or its main
 * language, of a set, or of what a registrant needs.
 */
export function matchesTld(tld: Tld, search: string): boolean {
  const { label } = tld;
  if (label.includes(search) || toUnicodeName(label).includes(search)) return true;
  const words = wordsOf(search);
  return words.length > 0 && words.every((word) => meaningOf(tld).has(word));
}

/** Returns the words for what a TLD is about. */
const meaningOf = oncePerObject(({ label, policy }: Tld): ReadonlySet<string> => {
  const sets = Object.entries(tldSets).filter(([, { tlds }]) => tlds.includes(label));
  const region = regionOf(tldOf(label));
  const texts = [
    ...sets.flatMap(([name, { reason }]) => [name, reason]),
    policy.reason,
    ...(region === undefined ? [] : ['country code', ...namesOf(region)]),
  ];
  return new Set(wordsOf(texts.join(' ')));
});

/** Returns the English names of a country and of its main language. */
function namesOf(region: string): readonly (string | undefined)[] {
  const { language } = new Intl.Locale(`und-${region}`).maximize();
  return [
    new Intl.DisplayNames('en', { type: 'region' }).of(region),
    new Intl.DisplayNames('en', { type: 'language' }).of(language),
  ];
}

/** Returns the words of a text in lower case, without accents. */
function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\d]+/gu) ?? []
  );
}
