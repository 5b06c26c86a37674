import type { RobotsFile, RobotsGroup, RobotsRule } from './robots-file.ts';

/**
 * Returns whether a crawler may request a URL (RFC 9309 section 2.2). `target`: the path with the
 * query. The most specific rule decides, the one with the longest pattern, and `Allow` if an
 * `Allow` and a `Disallow` are equally long. `/robots.txt` is always allowed. Takes time in
 * proportion to the size of the file and, for each pattern with `*`, to the length of the target.
 */
export function isAllowed(
  { access, groups }: Pick<RobotsFile, 'access' | 'groups'>,
  target: string,
  productToken: string,
): boolean {
  if (target === '/robots.txt' || target.startsWith('/robots.txt?') || access === 'allow_all')
    return true;
  if (access === 'disallow_all') return false;
  const path = normalize(target, true);
  let longest = { length: 0, isAllowed: true };
  for (const { type, path: written } of rulesFor(groups, productToken)) {
    if (isTooLong(written, path)) continue;
    const pattern = normalize(written, false);
    if (pattern.length < longest.length || !matches(path, pattern)) continue;
    const isTie = pattern.length === longest.length;
    longest = {
      length: pattern.length,
      isAllowed: type === 'allow' || (isTie && longest.isAllowed),
    };
  }
  return longest.isAllowed;
}

/** Returns the rules of all groups for a crawler, or of the groups for all others (`*`). */
function rulesFor(groups: RobotsFile['groups'], productToken: string): readonly RobotsRule[] {
  const named = groupsOf(groups, productToken.toLowerCase());
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

/** Returns whether a pattern has more text than the path, so that it need not be normalized. */
function isTooLong(pattern: string, path: string): boolean {
  // Each character of a path matches at most three of a pattern, such as `%41`.
  const maxLength = 3 * path.length + 1;
  return pattern.length > maxLength && pattern.replaceAll('*', '').length > maxLength;
}

/**
 * Returns whether a pattern matches the start of a path. A piece between two `*` is found at its
 * first occurrence, which leaves most of the path to the pieces after it, so nothing is tried twice.
 */
function matches(path: string, pattern: string): boolean {
  if (pattern === '') return false;
  const isAnchored = pattern.endsWith('$');
  const [first = '', ...pieces] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  if (pieces.length === 0) return !isAnchored || path.length === first.length;
  const last = isAnchored ? (pieces.pop() ?? '') : '';
  let position = first.length;
  for (const piece of pieces) {
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
  if (/^[\w./?=&-]*$/.test(text)) return text;
  const encoded = encodeURI(text.toWellFormed())
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']')
    .replaceAll('$', '%24')
    // `encodeURI` also encodes the `%` of what was encoded already.
    .replaceAll(/%25([\dA-Fa-f]{2})/g, (_match, digits: string) => normalizeTriplet(digits));
  if (isPath) return encoded.replaceAll('*', '%2A');
  return text.endsWith('$') ? `${encoded.slice(0, -3)}$` : encoded;
}

function normalizeTriplet(digits: string): string {
  const character = String.fromCharCode(parseInt(digits, 16));
  return /[\w.~-]/.test(character) ? character : `%${digits.toUpperCase()}`;
}
