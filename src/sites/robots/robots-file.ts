/** The robots.txt of a site, by RFC 9309. */
export interface RobotsFile {
  /** The URL that was requested. */
  readonly url: string;
  /** The URL of the response, after redirects. */
  readonly finalUrl: string;
  /** The HTTP status. */
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
  /** As written; `*` means all others. */
  readonly userAgents: readonly string[];
  /** Without rules, those of the next group apply (RFC 9309 section 2.2.1). */
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

/** Of `User-agent` lines, sitemaps and content signals, each in total. */
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
