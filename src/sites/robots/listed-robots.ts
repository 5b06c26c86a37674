import type { RobotsFile, RobotsGroup } from './robots-file.ts';

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
