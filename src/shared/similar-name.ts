/** Returns the most similar of the known names, if it differs by no more than a typing error. */
export function similarName(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((other) => ({ other, distance: editDistance(name, other) }))
    // `AUTH` must not be suggested for `PATH`, nor `HOST` for `HOME`.
    .filter(({ other, distance }) => distance <= (other.length < 8 ? 1 : 2))
    .toSorted((a, b) => a.distance - b.distance);
  return nearest?.other;
}

/**
 * Returns the known names that are one typing error from a name: a wrong, missing or additional
 * character, or two in the wrong order. Those of the same length are more likely than others.
 */
export function similarNames(name: string, known: readonly string[]): readonly string[] {
  const similar = known.filter((other) => editDistance(name, other) === 1);
  const sameLength = similar.filter(({ length }) => length === name.length);
  return sameLength.length > 0 ? sameLength : similar;
}

/** Counts the insertions, deletions, substitutions and transpositions between two texts. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + cost,
        isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
      );
    }

    beforeLast = last;
    last = row;
  }

  return last[b.length] ?? 0;
}
