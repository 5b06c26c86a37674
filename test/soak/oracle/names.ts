import { domainToASCII, domainToUnicode } from 'node:url';
import type { Random } from '../../support/time/random.ts';

/** The TLDs whose names are looked up. */
export const tlds = ['aa', 'bb', 'cc', 'dd', 'uu', 'ch', 'lt', 'it', 'ru', 'zz'] as const;
/** TLDs with an RDAP server that the bootstrap document lists. The first server serves two. */
export const listedTlds = { aa: 0, bb: 0, cc: 1, dd: 2 } as const;
/** TLDs with an RDAP server that it does not list. */
export const unlistedTlds = { uu: 3, ch: 4 } as const;
/** TLDs with an availability service. */
export const dasTlds = ['ch', 'lt'] as const;
/** TLDs with a WHOIS server. */
export const whoisTlds = ['it', 'ru'] as const;
/** The TLD of which only the DNS can be queried. */
export const dnsOnlyTld = 'zz';

const registryOfTld: Readonly<Record<string, number>> = { ...listedTlds, ...unlistedTlds };

/** Returns the index of the RDAP server of a name; undefined if its TLD has none. */
export function registryOf(name: string): number | undefined {
  return registryOfTld[tldOf(name)];
}

export function tldOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

const namesPerTld = 600;
const labels: readonly string[] = Array.from({ length: namesPerTld }, (_, index) =>
  index % 10 === 0 ? domainToASCII(`bücher${index}`) : `name${index}`,
);

/** Consecutive names have different TLDs. */
export const allNames: readonly string[] = labels.flatMap((label) =>
  tlds.map((tld) => `${label}.${tld}`),
);

export function namesUnder(suffixes: readonly string[]): readonly string[] {
  return allNames.filter((name) => suffixes.includes(tldOf(name)));
}

/** TLDs whose names all have a DAS or WHOIS server, and no other source but the DNS. */
const textTlds = ['lt', ...whoisTlds] as const;

/** Returns a name, which is new in one of ten cases: no stored answer contradicts a loss of data. */
export function randomName(random: Random): string {
  if (random.chance(0.1)) return `new${random.below(2 ** 31)}.${random.pick(textTlds)}`;
  return allNames[random.below(allNames.length)] ?? '';
}

export function randomSpelling(name: string, random: Random): string {
  return random.pick([
    name,
    name,
    name.toUpperCase(),
    domainToUnicode(name),
    ` ${name}`,
    `${name}.`,
    name.replace('.', '。'),
  ]);
}
