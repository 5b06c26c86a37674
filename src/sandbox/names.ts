const secondLevel =
  'shop app dev io ai co me xyz web site page link blog news info club team cloud store online tech digital studio design ' +
  'media agency world city life live art games music cafe space';

/** The suffixes that the sandbox serves over RDAP alone: `test` and 35 suffixes below it. */
export const sandboxSuffixes: readonly string[] = [
  'test',
  ...secondLevel.split(' ').map((label) => `${label}.test`),
];

/** Its names are answered by the DNS alone. */
export const dnsSuffix = 'dns-only.test';
/** Its names are answered by an availability service, which the DNS never contradicts. */
export const dasSuffix = 'das-only.test';
/** Its names are answered by a WHOIS server. Only the control name is delegated. */
export const whoisSuffix = 'whois-only.test';
/** Registered and delegated, so that controls pass. */
export const whoisControlName = `nic.${whoisSuffix}`;
/** RDAP returns 404 for all of its names, although the DNS delegates some of them. */
export const contradictedSuffix = 'contradicted.test';
