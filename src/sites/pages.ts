import { Problem } from '../domain/problems.ts';

/** Which page of a list a caller requests. */
export interface PageRequest {
  readonly limit: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
  /** Deprecated: the number of items to skip. Ignored with a cursor. */
  readonly offset?: number | undefined;
}

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The number of items of all pages. */
  readonly total: number;
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** How cursors contain the positions of the items of a sorted list. */
export interface PageKey<T> {
  /** Returns ASCII text that contains the position of an item. */
  readonly positionOf: (item: T) => string;
  /** Returns whether an item is after a position; undefined if the position is invalid. */
  readonly isAfter: (position: string) => ((item: T) => boolean) | undefined;
}

/**
 * Returns a page of a sorted list. A cursor contains the position of an item, so that it stays
 * valid if the list changes. Throws `invalid_parameter` for an invalid cursor.
 */
export function pageOf<T>(items: readonly T[], request: PageRequest, key: PageKey<T>): Page<T> {
  const start =
    request.cursor === undefined
      ? (request.offset ?? 0)
      : firstIndex(items, afterCursor(request.cursor, key));
  const page = items.slice(start, start + request.limit);
  const last = page.at(-1);
  const hasMore = start + page.length < items.length;
  return {
    items: page,
    total: items.length,
    nextCursor: last !== undefined && hasMore ? encodeCursor(key.positionOf(last)) : null,
  };
}

/** Returns the first index for which `test` holds, if it holds for all later items too. */
export function firstIndex<T>(items: readonly T[], test: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function afterCursor<T>(cursor: string, { isAfter }: PageKey<T>): (item: T) => boolean {
  const position = decodeCursor(cursor);
  const test = position === undefined ? undefined : isAfter(position);
  if (test) return test;
  throw new Problem('invalid_parameter', 'The cursor is not one that this gateway returned.', {
    param: 'after',
  });
}

function encodeCursor(position: string): string {
  return btoa(position).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

const maxCursorLength = 400;

function decodeCursor(cursor: string): string | undefined {
  if (cursor.length > maxCursorLength || !/^[\w-]+$/.test(cursor)) return undefined;
  try {
    return atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
}
