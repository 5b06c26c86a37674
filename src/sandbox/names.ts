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

/** A site of the sandbox. */
export interface SandboxSite {
  /** The registered name. */
  readonly domain: string;
  readonly isWww: boolean;
  readonly behaviour: SiteBehaviour;
}

/** The special behaviours of sites: the text after `taken-` at the start of a name. */
const behaviours = [
  'expired',
  'wrong-name',
  'self-signed',
  'tls10',
  'http',
  'redirect',
  'loop',
  'private',
  'blocked',
  'forbidden',
  'error',
  'empty',
  'pdf',
  'slow',
] as const;
/** `complete`: nothing is special. */
type SiteBehaviour = (typeof behaviours)[number] | 'complete';

/**
 * Returns the site of a host name; undefined if there is none. The names that the registry of the
 * sandbox has registered have a site, and so do the same names with `www.`.
 */
export function siteOf(host: string): SandboxSite | undefined {
  const name = host.toLowerCase();
  const domain = name.replace(/^www\./, '');
  const isRegistered = domain.startsWith('taken') && !domain.endsWith(`.${contradictedSuffix}`);
  if (!isRegistered || !domain.endsWith('.test')) return undefined;
  const behaviour = behaviours.find((each) => domain.startsWith(`taken-${each}`)) ?? 'complete';
  return { domain, isWww: domain !== name, behaviour };
}
