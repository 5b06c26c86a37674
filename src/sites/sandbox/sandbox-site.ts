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
  const isRegistered = domain.startsWith('taken') && !domain.endsWith('.contradicted.test');
  if (!isRegistered || !domain.endsWith('.test')) return undefined;
  const behaviour = behaviours.find((each) => domain.startsWith(`taken-${each}`)) ?? 'complete';
  return { domain, isWww: domain !== name, behaviour };
}

/** Returns whether a host is in the sandbox, even if it has no site. */
export function isSandboxHost(host: string): boolean {
  return host.endsWith('.test');
}

/** What is wrong with the certificate of a site, by OpenSSL's code. */
export const certificateErrors: Partial<Readonly<Record<SiteBehaviour, string>>> = {
  expired: 'CERT_HAS_EXPIRED',
  'wrong-name': 'ERR_TLS_CERT_ALTNAME_INVALID',
  'self-signed': 'DEPTH_ZERO_SELF_SIGNED_CERT',
};
