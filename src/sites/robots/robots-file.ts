import { oncePerObject } from '../../shared/memoize.ts';

/** The robots.txt of a site, by RFC 9309. */
export interface RobotsFile {
  /** The URL that was requested. */
  readonly url: string;
  /** The URL of the response, after redirects. */
  readonly finalUrl: string;
  readonly status: number;
  /**
   * `rules`: the file has rules. `allow_all`: there is no file (4xx), so everything is allowed.
   * `disallow_all`: the server failed (5xx), so nothing is allowed (RFC 9309 section 2.3.1).
   */
  readonly access: 'rules' | 'allow_all' | 'disallow_all';
  readonly groups: readonly RobotsGroup[];
  /** The URLs of `Sitemap` lines. */
  readonly sitemaps: readonly string[];
  /** The file continues after the part that was read, 512 KiB, or after the part that is listed. */
  readonly isTruncated: boolean;
}

/** The rules for some crawlers. */
export interface RobotsGroup {
  /** The agents as they are written; `*` means all others. */
  readonly userAgents: readonly string[];
  /** A group without rules has the rules of the next one (RFC 9309 section 2.2.1). */
  readonly rules: readonly RobotsRule[];
  /** `Crawl-delay` in seconds, which RFC 9309 does not define; null if absent. */
  readonly crawlDelay: number | null;
  readonly contentSignals: readonly ContentSignal[];
}

/** An `Allow` or `Disallow` line. */
export interface RobotsRule {
  readonly type: 'allow' | 'disallow';
  /** The path pattern; empty in a `Disallow:` that forbids nothing. */
  readonly path: string;
}

/** A preference about the use of the content, such as `ai-train=no`. */
export interface ContentSignal {
  /** The path to which it applies; null for all. */
  readonly path: string | null;
  /** `search`, `ai-input`, `ai-train` or another signal. */
  readonly name: string;
  readonly isAllowed: boolean;
}

/** How many `User-agent` lines, sitemaps or content signals are read in total. */
const maxEntries = 1000;
const maxRules = 10_000;

/**
 * Returns the part of a robots.txt that is listed in responses. `isTruncated`: the file was not read
 * completely, or has more entries than are listed. Only the complete file decides what is allowed.
 */
export function listedRobots(file: RobotsFile): RobotsFile {
  const groups = listedGroups(file.groups);
  const sitemaps = file.sitemaps.slice(0, maxEntries);
  const isComplete =
    groups.length === file.groups.length &&
    groups.at(-1) === file.groups.at(-1) &&
    sitemaps.length === file.sitemaps.length;

  return { ...file, groups, sitemaps, isTruncated: file.isTruncated || !isComplete };
}

/** Returns groups up to the first that exceeds a limit, and what fits of it. */
function listedGroups(groups: readonly RobotsGroup[]): readonly RobotsGroup[] {
  const left = { userAgents: maxEntries, rules: maxRules, contentSignals: maxEntries };
  const listed: RobotsGroup[] = [];
  for (const group of groups) {
    const userAgents = group.userAgents.slice(0, left.userAgents);
    const rules = group.rules.slice(0, left.rules);
    const contentSignals = group.contentSignals.slice(0, left.contentSignals);

    left.userAgents -= group.userAgents.length;
    left.rules -= group.rules.length;
    left.contentSignals -= group.contentSignals.length;

    if (Math.min(left.userAgents, left.rules, left.contentSignals) >= 0) {
      listed.push(group);
      continue;
    }

    // A group that lost all of its rules would look like one that shares those of the next group.
    const keepsRules = rules.length > 0 || group.rules.length === 0;
    const isMeaningful = userAgents.length > 0 && keepsRules;
    return isMeaningful ? [...listed, { ...group, userAgents, rules, contentSignals }] : listed;
  }

  return listed;
}

/** Plain rules are only compared with the start of a path, so their number is not limited. */
const maxWildcardRules = 1000;

/**
 * Returns a function that tells whether a crawler may request a URL, by its path with the query (RFC
 * 9309 section 2.2). The rule with the longest pattern decides, and `Allow` if an `Allow` and a
 * `Disallow` are equally long. `/robots.txt` is always allowed. A file with more than 1,000 rules with
 * `*` for the crawler allows nothing: without the others, a path that is forbidden could be allowed.
 * Takes time in proportion to the number of rules and, for each pattern with `*`, to the length of the
 * path.
 */
export function rulesFor(
  { access, groups }: Pick<RobotsFile, 'access' | 'groups'>,
  crawler: string,
): (target: string) => boolean {
  const rules = rulesOf(groups, crawler);
  const isTooLarge = rules.filter(({ path }) => path.includes('*')).length > maxWildcardRules;
  const hasRules = access === 'rules' && !isTooLarge;
  const bySpecificity = hasRules ? rules.map(prepared).toSorted(specificFirst) : [];

  return (target) => {
    if (target === '/robots.txt' || target.startsWith('/robots.txt?')) return true;
    const path = normalize(target, true);
    const rule = bySpecificity.find((one) => matches(path, one));
    return rule ? rule.type === 'allow' : hasRules || access === 'allow_all';
  };
}

interface PreparedRule extends Pick<RobotsRule, 'type'> {
  /** Length of the pattern. The longest match wins. */
  readonly length: number;
  /** The text before the first `*` of the pattern. */
  readonly start: string;
  /** The texts between and after the `*`. */
  readonly pieces: readonly string[];
  /** Whether the pattern ends with `$`, so that it must match the whole path. */
  readonly isAnchored: boolean;
}

function prepared({ type, path }: RobotsRule): PreparedRule {
  const pattern = normalize(path, false);
  const isAnchored = pattern.endsWith('$');
  const [start = '', ...pieces] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  return { type, length: pattern.length, start, pieces, isAnchored };
}

function specificFirst(a: PreparedRule, b: PreparedRule): number {
  return b.length - a.length || Number(b.type === 'allow') - Number(a.type === 'allow');
}

/** Returns the rules of all groups for a crawler, or of the groups for all others (`*`). */
function rulesOf(groups: RobotsFile['groups'], crawler: string): readonly RobotsRule[] {
  const named = groupsOf(groups, crawler.toLowerCase());
  return (named.length > 0 ? named : groupsOf(groups, '*')).flatMap(({ rules }) => rules);
}

/**
 * Returns the groups of a token. Lines such as `Crawl-delay` must not interfere with groups (RFC 9309
 * section 2.2.4), so the agents of a group without rules also belong to the next one.
 */
function groupsOf(groups: RobotsFile['groups'], token: string): readonly RobotsGroup[] {
  let belongsToNext = false;
  return groups.filter(({ userAgents, rules }) => {
    const belongs = belongsToNext || userAgents.some((agent) => tokenOf(agent) === token);
    belongsToNext = belongs && rules.length === 0;
    return belongs;
  });
}

/** Returns the product token of a `User-agent` line, which may have a version. */
function tokenOf(userAgent: string): string {
  return userAgent === '*' ? '*' : (/^[a-z_-]+/i.exec(userAgent)?.[0].toLowerCase() ?? '');
}

/**
 * Returns whether a rule matches the start of a path. A piece between two `*` is found at its first
 * occurrence, which leaves most of the path to the pieces after it, so nothing is tried twice.
 */
function matches(path: string, { length, start, pieces, isAnchored }: PreparedRule): boolean {
  if (length === 0 || !path.startsWith(start)) return false;
  if (pieces.length === 0) return !isAnchored || path.length === start.length;

  const last = isAnchored ? (pieces.at(-1) ?? '') : '';
  let position = start.length;
  for (const piece of isAnchored ? pieces.slice(0, -1) : pieces) {
    const found = path.indexOf(piece, position);
    if (found === -1) return false;
    position = found + piece.length;
  }

  return path.length - last.length >= position && path.endsWith(last);
}

/**
 * Normalizes percent-encoding (RFC 9309 section 2.2.2): unreserved characters are decoded, all
 * others outside the characters of a URL are encoded. `*` and `$` of a path are encoded, because
 * they are special in patterns; a `$` of a pattern is special only at its end.
 */
function normalize(text: string, isPath: boolean): string {
  return text.toWellFormed().replaceAll(isPath ? changedInPaths : changedInPatterns, (changed) => {
    if (changed.length === 3 && changed.startsWith('%')) return normalizeTriplet(changed);
    return encodeURIComponent(changed).replaceAll('*', '%2A');
  });
}

const changedInPaths = /%[\dA-Fa-f]{2}|[^\w\-.~!'();:@&=+,/?#[\]]/gu;
const changedInPatterns = /%[\dA-Fa-f]{2}|\$(?!$)|[^\w\-.~!*'();:@&=+$,/?#[\]]/gu;

function normalizeTriplet(triplet: string): string {
  const character = String.fromCharCode(parseInt(triplet.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : triplet.toUpperCase();
}

/** The name of the gateway in `User-Agent` and in the groups of a robots.txt. */
export const productToken = 'rdap-gateway';

const ownRules = oncePerObject((robots: RobotsFile) => rulesFor(robots, productToken));

/** Returns whether a robots.txt allows this gateway to request a URL of its origin. */
export function allowsUrl(robots: RobotsFile, { pathname, search }: URL): boolean {
  return ownRules(robots)(pathname + search);
}
