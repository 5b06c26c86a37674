/** A platform on which organizations and persons have profiles. */
interface Platform {
  readonly name: string;
  readonly hosts: readonly string[];
}

const platforms: readonly Platform[] = [
  { name: 'bluesky', hosts: ['bsky.app'] },
  { name: 'discord', hosts: ['discord.gg', 'discord.com'] },
  { name: 'facebook', hosts: ['facebook.com', 'fb.com'] },
  { name: 'github', hosts: ['github.com'] },
  { name: 'gitlab', hosts: ['gitlab.com'] },
  { name: 'instagram', hosts: ['instagram.com'] },
  { name: 'linkedin', hosts: ['linkedin.com'] },
  { name: 'mastodon', hosts: ['mastodon.social'] },
  { name: 'medium', hosts: ['medium.com'] },
  { name: 'pinterest', hosts: ['pinterest.com'] },
  { name: 'reddit', hosts: ['reddit.com'] },
  { name: 'telegram', hosts: ['t.me'] },
  { name: 'threads', hosts: ['threads.net', 'threads.com'] },
  { name: 'tiktok', hosts: ['tiktok.com'] },
  { name: 'twitch', hosts: ['twitch.tv'] },
  { name: 'vimeo', hosts: ['vimeo.com'] },
  { name: 'wikidata', hosts: ['wikidata.org'] },
  { name: 'wikipedia', hosts: ['wikipedia.org'] },
  { name: 'x', hosts: ['x.com', 'twitter.com'] },
  { name: 'xing', hosts: ['xing.com'] },
  { name: 'youtube', hosts: ['youtube.com', 'youtu.be'] },
];

const platformByHost = new Map(
  platforms.flatMap(({ name, hosts }) => hosts.map((host) => [host, name])),
);

/** Returns the platform of a URL, such as `x`; undefined for every other site. */
export function platformOf({ hostname }: URL): string | undefined {
  const labels = hostname.split('.');
  // en.wikipedia.org and www.linkedin.com are on the platform of their last two labels.
  return platformByHost.get(labels.slice(-2).join('.'));
}
