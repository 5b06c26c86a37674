import { platformOf } from './social-platforms.ts';

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
  const paths = pathsOf(platform);
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  const [first = '', second] = segments;
  const nameIndex = second !== undefined && isPrefix(paths, first) ? 1 : 0;
  const name = segments[nameIndex];
  if (name === undefined || !isNamePlace(platform, url, first, nameIndex)) return null;
  const hasMore = segments.length > nameIndex + 1;
  if (hasMore && !(paths.hasPages && (nameIndex === 1 || name.startsWith('@')))) return null;
  const handle = nameIn(name);
  return handle !== null && paths.notNames?.test(handle) ? null : handle;
}

function isPrefix({ before = [] }: ProfilePaths, segment: string): boolean {
  return before.includes(segment.toLowerCase());
}

/** Returns whether a name may be the segment at this index. */
function isNamePlace(platform: string, { hostname }: URL, first: string, index: number): boolean {
  // Without a segment before it, `youtu.be/NAME` is a video, and `discord.com/NAME` another page.
  if (hostname.endsWith('youtu.be')) return false;
  if (index === 1 || first.startsWith('@')) return true;
  const paths = pathsOf(platform);
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

/** Where the names of profiles are in the paths of a platform. */
interface ProfilePaths {
  /** The name follows one of these segments. */
  readonly before?: readonly string[];
  /** Whether a name without `@` is only after such a segment. */
  readonly needsSegment?: boolean;
  /** Whether what follows the name is a page of the profile, never a post of it or of others. */
  readonly hasPages?: boolean;
  /** First segments of other pages. */
  readonly reserved?: ReadonlySet<string>;
  /** Names that are something else. */
  readonly notNames?: RegExp;
}

const profilePaths: Readonly<Record<string, ProfilePaths | undefined>> = {
  bluesky: { before: ['profile'], needsSegment: true },
  discord: { before: ['invite'] },
  facebook: { before: ['pg'], reserved: words('ads business careers dialog docs events gaming games groups hashtag help l lite live local marketplace media messages notes permalink photo photos pg places plugins policies policy posts profile public reel reels sharer stories story tr video videos watch') },
  github: { before: ['orgs', 'sponsors'], reserved: words('account apps codespaces collections contact copilot customer-stories dashboard discussions edu education enterprise enterprises events features gist issues join logout marketplace mobile new newsletter newsroom nonprofit notifications open-source organizations orgs partners premium-support pricing pulls readme resources security sessions site social-impact solutions sponsors stars team topics trending users watching why-github') },
  gitlab: { reserved: words('- admin api dashboard groups projects public snippets users') },
  instagram: { reserved: words('accounts api challenge developer direct directory emails graphql oauth p press reel reels session stories tv web') },
  linkedin: { before: ['company', 'in', 'school', 'showcase'], needsSegment: true, hasPages: true },
  mastodon: { before: ['users'], needsSegment: true },
  medium: { reserved: words('creators jobs-at-medium m me membership new-story p plans policy tag topic topics') },
  pinterest: { reserved: words('business categories ideas news_hub password pin resource source today topics videos') },
  reddit: { before: ['r', 'u', 'user'], needsSegment: true },
  // `+…` is an invitation, and so is `joinchat`.
  telegram: { before: ['s'], reserved: words('addemoji addlist addstickers addtheme bg boost c confirmphone contact giftcode invoice iv joinchat m nft proxy s setlanguage socks'), notNames: /^\+/ },
  threads: { needsSegment: true },
  tiktok: { needsSegment: true },
  twitch: { reserved: words('activate bits broadcast collections creatorcamp dashboard directory downloads drops friends inventory moderator p popout prime products safety store subscriptions team turbo u user video videos wallet') },
  // A number is a video.
  vimeo: { reserved: words('album api blog categories channels couchmode create enterprise event events features for-hire groups log_in manage on-demand ondemand ott showcase site_map solutions stock upgrade upload user users video'), notNames: /^\d+$/ },
  wikidata: { before: ['wiki', 'entity'], needsSegment: true },
  wikipedia: { before: ['wiki'], needsSegment: true },
  x: { reserved: words('account articles communities compose download hashtag i intent jobs lists logout messages moments notifications oauth personalization share tos who_to_follow') },
  xing: { before: ['profile', 'pages', 'companies'], needsSegment: true, hasPages: true },
  youtube: { before: ['c', 'channel', 'user'], hasPages: true, reserved: words('account ads attribution_link c channel channels clip creators embed feed gaming iframe_api kids live live_chat movies music oembed playlist post premium redirect results shorts sports t trending tv upload user v watch yt') },
}; // prettier-ignore

/** First segments that no platform gives to a profile. */
const reservedEverywhere = words(
  'about careers contact cookies download downloads explore help home jobs legal login logout pages people press pricing privacy register search settings share signin signup submit support terms tos',
); // prettier-ignore

/** Returns the paths of a platform. */
function pathsOf(platform: string): ProfilePaths {
  return (Object.hasOwn(profilePaths, platform) && profilePaths[platform]) || {};
}

/** Returns whether a first segment, in lower case, is of another page of a platform. */
function isReserved({ reserved }: ProfilePaths, segment: string): boolean {
  return reservedEverywhere.has(segment) || segment.endsWith('.php') || !!reserved?.has(segment);
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
