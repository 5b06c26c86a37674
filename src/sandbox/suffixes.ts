const secondLevel =
  'shop app dev io ai co me xyz web site page link blog news info club team cloud store online tech digital studio design ' +
  'media agency world city life live art games music cafe space';

/** The suffixes that the sandbox serves: `test` and 35 suffixes below it. */
export const sandboxSuffixes: readonly string[] = [
  'test',
  ...secondLevel.split(' ').map((label) => `${label}.test`),
];
