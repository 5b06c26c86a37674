import table from './social-platforms.json' with { type: 'json' };

/** A platform on which organizations and persons have profiles. */
interface Platform {
  readonly hosts: readonly string[];
  /** A pattern of the names under the hosts with the same profiles, besides `www`, `m` and `mobile`. */
  readonly subdomains?: string;
  /** The name of a profile follows one of these segments of the path. */
  readonly before?: readonly string[];
  /** Whether a name without `@` is only after such a segment. */
  readonly needsSegment?: boolean;
  /** Whether what follows the name is a page of the profile, never a post of it or of others. */
  readonly hasPages?: boolean;
  /** First segments of other pages, separated by spaces. */
  readonly reserved?: string;
  /** A pattern of names that are something else: an invitation to Telegram, a video of Vimeo. */
  readonly notNames?: string;
}

const platforms = new Map<string, Platform>(Object.entries(table.platforms));
const namesByHost = new Map(
  Array.from(platforms, ([name, { hosts }]) => hosts.map((host) => [host, name] as const)).flat(),
);
const commonSubdomains = new Set(['', 'www', 'm', 'mobile']);

/**
 * Returns the platform of a URL, such as `x`; undefined for every other site, also for one below a
 * platform: `docs.github.com` and `l.facebook.com` have no profiles.
 */
export function platformOf({ hostname }: URL): string | undefined {
  const labels = hostname.split('.');
  const name = namesByHost.get(labels.slice(-2).join('.'));
  if (name === undefined) return undefined;

  const subdomain = labels.slice(0, -2).join('.');
  const pattern = platforms.get(name)?.subdomains;
  const isOwn = pattern !== undefined && new RegExp(pattern).test(subdomain);

  return isOwn || commonSubdomains.has(subdomain) ? name : undefined;
}

const maxHandleLength = 100;

/** Pages link to articles about their subjects, not only to the one about themselves. */
const encyclopedias = new Set(['wikidata', 'wikipedia']);

/**
 * Returns whether a plain link may be to a profile of the site: pages also link to posts, to forms
 * that share them and to articles.
 */
export function isProfileLink(url: URL): boolean {
  const platform = platformOf(url);
  if (platform === undefined || encyclopedias.has(platform)) return false;
  return handleOf(platform, url) !== null;
}

/**
 * Returns the name of a profile from the path of its URL, without `@`; null if the path is not that
 * of a profile, such as a post or a form that shares a page.
 */
export function handleOf(platform: string, url: URL): string | null {
  const paths = platforms.get(platform);
  if (!paths) return null;

  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  const [first = '', second] = segments;
  const nameIndex = second !== undefined && isPrefix(paths, first) ? 1 : 0;
  const name = segments[nameIndex];
  if (name === undefined || !isNamePlace(paths, url, first, nameIndex)) return null;

  const hasMore = segments.length > nameIndex + 1;
  if (hasMore && !(paths.hasPages && (nameIndex === 1 || name.startsWith('@')))) return null;

  const handle = nameIn(name);
  return handle !== null && isName(paths, handle) ? handle : null;
}

function isName({ notNames }: Platform, handle: string): boolean {
  return notNames === undefined || !new RegExp(notNames).test(handle);
}

function isPrefix({ before = [] }: Platform, segment: string): boolean {
  return before.includes(segment.toLowerCase());
}

/** Returns whether a name may be the segment at this index. */
function isNamePlace(paths: Platform, { hostname }: URL, first: string, index: number): boolean {
  // Without a segment before it, `youtu.be/NAME` is a video, and `discord.com/NAME` another page.
  if (hostname.endsWith('youtu.be')) return false;
  if (index === 1 || first.startsWith('@')) return true;
  const needsSegment = paths.needsSegment || hostname.endsWith('discord.com');
  return !needsSegment && !isReserved(paths, first.toLowerCase());
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

/** First segments that no platform gives to a profile. */
const reservedEverywhere = words(table.reservedEverywhere);
const reservedByPaths = new Map(
  Array.from(platforms.values(), (paths) => [paths, words(paths.reserved ?? '')]),
);

/** Returns whether a first segment, in lower case, is of another page of a platform. */
function isReserved(paths: Platform, segment: string): boolean {
  const isOther = reservedByPaths.get(paths)?.has(segment) === true;
  return isOther || reservedEverywhere.has(segment) || segment.endsWith('.php');
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
