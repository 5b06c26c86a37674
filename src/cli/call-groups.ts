/** A gateway rejects bodies of more than 64 KiB; the rest is for the other members. */
const maxBytes = 65_000;

/** Yields names in groups, each of which fits into one call. */
export function* groupsOf(
  names: readonly string[],
  maxNames: number,
): Generator<readonly string[], void, void> {
  let group: string[] = [];
  let bytes = 0;
  for (const name of names) {
    const size = Buffer.byteLength(JSON.stringify(name)) + 1;
    if (group.length === maxNames || (group.length > 0 && bytes + size > maxBytes)) {
      yield group;
      group = [];
      bytes = 0;
    }

    group.push(name);
    bytes += size;
  }

  if (group.length > 0) yield group;
}
