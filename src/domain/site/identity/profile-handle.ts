/** The paths of profiles on a platform: the name follows one of these segments. */
const segmentsBefore: Readonly<Record<string, readonly string[]>> = {
  bluesky: ['profile'],
  discord: ['invite'],
  facebook: [],
  linkedin: ['company', 'in', 'school', 'showcase'],
  reddit: ['r', 'u', 'user'],
  wikidata: ['wiki', 'entity'],
  wikipedia: ['wiki'],
  xing: ['profile', 'pages', 'companies'],
  youtube: ['c', 'channel', 'user'],
};

/** The platforms on which the name may only follow such a segment, except `youtube.com/@name`. */
const needsSegment = new Set(['bluesky', 'linkedin', 'reddit', 'wikidata', 'wikipedia', 'xing']);

/** First segments of other pages, such as those that share a page. */
const otherPages = new Set([
  'about', 'channel', 'channels', 'dialog', 'events', 'explore', 'groups', 'hashtag', 'help', 'home', 'i', 'intent', 'invite', 'joinchat', 'login', 'p', 'pages', 'people', 'pin', 'plugins', 'privacy', 'profile.php', 'reel', 'search', 'settings', 'share', 'sharer', 'sharer.php', 'signup', 'story.php', 'submit', 'terms', 'tr', 'tv', 'watch', 'playlist', 'embed', 'shorts', 'c', 'user',
]); // prettier-ignore

const maxHandleLength = 100;

/**
 * Returns the name of a profile from the path of its URL, without `@`; null if the path is not that
 * of a profile, such as a post or a form that shares a page.
 */
export function handleOf(platform: string, url: URL): string | null {
  const [first, second, ...rest] = url.pathname.split('/').filter((segment) => segment !== '');
  if (first === undefined || rest.length > 0) return null;
  if (second !== undefined)
    return segmentsBefore[platform]?.includes(first.toLowerCase()) ? nameIn(second) : null;
  if (needsSegment.has(platform) || otherPages.has(first.toLowerCase())) return null;
  // A name without `@` on the short host is a video.
  if (platform === 'youtube' && url.hostname.endsWith('youtu.be')) return null;
  return nameIn(first);
}

function nameIn(segment: string): string | null {
  try {
    const name = decodeURIComponent(segment).replace(/^@/, '').toWellFormed();
    return name !== '' && name.length <= maxHandleLength ? name : null;
  } catch {
    // A `%` that begins no UTF-8 sequence: the name is unknown.
    return null;
  }
}
