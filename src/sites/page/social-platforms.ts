/** A platform on which organizations and persons have profiles. */
interface Platform {
  readonly name: string;
  readonly hosts: readonly string[];
  /** The names under the hosts that have the same profiles, besides `www`, `m` and `mobile`. */
  readonly subdomains?: RegExp;
}

const country = /^[a-z]{2}$/;
const locale = /^[a-z]{2}-[a-z]{2}$/;

const platforms: readonly Platform[] = [
  { name: 'bluesky', hosts: ['bsky.app'] },
  { name: 'discord', hosts: ['discord.gg', 'discord.com'] },
  { name: 'facebook', hosts: ['facebook.com', 'fb.com'], subdomains: locale },
  { name: 'github', hosts: ['github.com'] },
  { name: 'gitlab', hosts: ['gitlab.com'] },
  { name: 'instagram', hosts: ['instagram.com'] },
  { name: 'linkedin', hosts: ['linkedin.com'], subdomains: country },
  { name: 'mastodon', hosts: ['mastodon.social'] },
  { name: 'medium', hosts: ['medium.com'] },
  { name: 'pinterest', hosts: ['pinterest.com'], subdomains: country },
  { name: 'reddit', hosts: ['reddit.com'], subdomains: /^(?:old|new)$/ },
  { name: 'telegram', hosts: ['t.me'] },
  { name: 'threads', hosts: ['threads.net', 'threads.com'] },
  { name: 'tiktok', hosts: ['tiktok.com'] },
  { name: 'twitch', hosts: ['twitch.tv'] },
  { name: 'vimeo', hosts: ['vimeo.com'] },
  { name: 'wikidata', hosts: ['wikidata.org'] },
  // Languages such as `de`, `simple` and `zh-min-nan`, each also with `.m`.
  { name: 'wikipedia', hosts: ['wikipedia.org'], subdomains: /^(?:simple|[a-z]{2,3}(?:-[a-z-]{1,12})?)(?:\.m)?$/ },
  { name: 'x', hosts: ['x.com', 'twitter.com'] },
  { name: 'xing', hosts: ['xing.com'] },
  { name: 'youtube', hosts: ['youtube.com', 'youtu.be'] },
]; // prettier-ignore

const platformByHost = new Map(
  platforms.flatMap((platform) => platform.hosts.map((host) => [host, platform])),
);
const commonSubdomains = new Set(['', 'www', 'm', 'mobile']);

/**
 * Returns the platform of a URL, such as `x`; undefined for every other site, also for one below a
 * platform: `docs.github.com` and `l.facebook.com` have no profiles.
 */
export function platformOf({ hostname }: URL): string | undefined {
  const labels = hostname.split('.');
  const platform = platformByHost.get(labels.slice(-2).join('.'));
  if (!platform) return undefined;
  const subdomain = labels.slice(0, -2).join('.');
  const hasProfiles = commonSubdomains.has(subdomain) || platform.subdomains?.test(subdomain);
  return hasProfiles ? platform.name : undefined;
}
