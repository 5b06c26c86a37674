import { isDeepStrictEqual } from 'node:util';

/** The entries of a document, such as a map or a set. */
export interface Listing {
  readonly size: number;
  has(entry: string): boolean;
  keys(): Iterable<string>;
  get?(entry: string): unknown;
}

/** By default, a document that lacks this share of the previous entries is rejected. */
const defaultMaxLostShare = 0.1;
const maxLoggedEntries = 20;

/** Throws if a new document is implausible compared to the previous one: it may be truncated. */
export function assertPlausible(
  entries: Listing,
  previous: Listing,
  maxLostShare = defaultMaxLostShare,
): void {
  if (previous.has('com') && !entries.has('com'))
    throw new Error('the document has no entry for com');
  const { length: lost } = missing(previous, entries);
  if (lost >= previous.size * maxLostShare)
    throw new Error(`the document lacks ${lost} of ${previous.size} previous entries`);
}

/**
 * Returns the entries added, removed or moved to another server, for the log: their number and the
 * first of them. Undefined if there are none.
 */
export function changesBetween(before: Listing, after: Listing): object | undefined {
  const isMoved = (entry: string) => !isDeepStrictEqual(before.get?.(entry), after.get?.(entry));
  const changes = {
    added: missing(after, before),
    removed: missing(before, after),
    moved: Array.from(after.keys()).filter((entry) => before.has(entry) && isMoved(entry)),
  };
  const found = Object.entries(changes).filter(([, entries]) => entries.length > 0);
  if (found.length === 0) return undefined;

  return Object.fromEntries(
    found.map(([change, entries]) => [
      change,
      { count: entries.length, first: entries.slice(0, maxLoggedEntries) },
    ]),
  );
}

/** Returns the entries that `others` lacks. */
function missing(entries: Listing, others: Listing): readonly string[] {
  return Array.from(entries.keys()).filter((entry) => !others.has(entry));
}
