/** An unknown variable, and the known one that was probably meant, if any. */
export interface MisspelledVariable {
  readonly name: string;
  readonly suggestion: string | undefined;
}

/**
 * Returns the variables that are probably misspelled: those similar to a known one, and all unknown
 * ones that start with `RDAP_`.
 */
export function misspelledVariables(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): readonly MisspelledVariable[] {
  return Object.entries(environment)
    .filter(([name, value = '']) => !known.includes(name) && !isServiceLink(name, value))
    .map(([name]) => ({ name, suggestion: suggestionFor(name, known) }))
    .filter(({ name, suggestion }) => suggestion !== undefined || name.startsWith('RDAP_'));
}

/**
 * Returns whether Docker or Kubernetes set a variable for a service, which may have the name
 * `rdap`.
 */
function isServiceLink(name: string, value: string): boolean {
  return /_SERVICE_(?:HOST|PORT)|_PORT_\d+_/.test(name) || /^(?:tcp|udp):\/\//.test(value);
}

function suggestionFor(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((other) => ({ other, distance: editDistance(name, other) }))
    .filter(({ other, distance }) => distance <= maxDistance(other))
    .toSorted((a, b) => a.distance - b.distance);
  // `RDAP_TIMEOUT` lacks the unit of `RDAP_TIMEOUT_MS`.
  const longer = name.includes('_')
    ? known.find((other) => other.startsWith(`${name}_`))
    : undefined;
  return nearest?.other ?? longer;
}

/** `AUTH` must not be suggested for `PATH`, nor `HOST` for `HOME`. */
function maxDistance(name: string): number {
  return name.length < 8 ? 1 : 2;
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
