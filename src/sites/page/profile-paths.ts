/** Where the names of profiles are in the paths of a platform. */
export interface ProfilePaths {
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
export function pathsOf(platform: string): ProfilePaths {
  return (Object.hasOwn(profilePaths, platform) && profilePaths[platform]) || {};
}

/** Returns whether a first segment, in lower case, is of another page of a platform. */
export function isReserved({ reserved }: ProfilePaths, segment: string): boolean {
  return reservedEverywhere.has(segment) || segment.endsWith('.php') || !!reserved?.has(segment);
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
