/** The first release of each line of Node.js with the latest security fixes, as in SECURITY.md. */
export const patchedNode = { date: '21 October 2026', releases: ['24.22.1', '26.12.1'] } as const;

/**
 * Returns whether a version of Node.js lacks these fixes. Lines without a patched release are
 * assumed to lack them, unless they are newer.
 */
export function lacksSecurityFixes(version: string): boolean {
  const isPatched = patchedNode.releases.some(
    (release) => majorOf(release) === majorOf(version) && compare(version, release) >= 0,
  );
  return !isPatched && patchedNode.releases.some((release) => majorOf(release) >= majorOf(version));
}

/** Returns what is wrong with a version of Node.js and what to do; undefined if it has the fixes. */
export function nodeWarning(version: string): string | undefined {
  if (!lacksSecurityFixes(version)) return undefined;
  const releases = patchedNode.releases.map(
    (release) => `${release} or a later ${majorOf(release)}.x`,
  );
  return `Node.js ${version} lacks the security fixes of ${patchedNode.date}. In production, install ${releases.join(', or ')}. See SECURITY.md.`;
}

function majorOf(version: string): number {
  return Number(version.split('.')[0]);
}

function compare(version: string, other: string): number {
  return version.localeCompare(other, 'en', { numeric: true });
}
