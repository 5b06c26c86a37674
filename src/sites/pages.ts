import { invalidParameter } from '../domain/problems.ts';
import type { PageSizes } from '../server/messages/parameters.ts';

/** Which page of a list a caller requests. */
export interface PageRequest {
  readonly limit: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
  /** Deprecated: the number of items to skip. Ignored with a cursor. */
  readonly offset?: number | undefined;
}

export interface CursorPage<T> {
  readonly items: readonly T[];
  /** The number of items of all pages. */
  readonly total: number;
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** How cursors contain the positions of the items of a sorted list. */
interface PageKey<T> {
  /** Returns ASCII text that contains the position of an item. */
  readonly positionOf: (item: T) => string;
  /** Returns whether an item is after a position; undefined if the position is invalid. */
  readonly isAfter: (position: string) => ((item: T) => boolean) | undefined;
}

/**
 * Creates a function that returns a page of a sorted list. A cursor contains the position of an
 * item, so that it stays valid if the list changes. Throws `invalid_parameter` for an invalid
 * cursor.
 */
export function pagesBy<T>(key: PageKey<T>) {
  return (items: readonly T[], { limit, cursor, offset = 0 }: PageRequest): CursorPage<T> => {
    const start = cursor === undefined ? offset : firstIndex(items, afterCursor(cursor, key));
    const page = items.slice(start, start + limit);
    const last = page.at(-1);
    const hasMore = start + page.length < items.length;

    return {
      items: page,
      total: items.length,
      nextCursor: last !== undefined && hasMore ? encodeCursor(key.positionOf(last)) : null,
    };
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
  throw invalidParameter('after', 'The cursor is not one that this gateway returned.');
}

export function encodeCursor(position: string): string {
  return Buffer.from(position).toString('base64url');
}

const maxCursorLength = 400;

function decodeCursor(cursor: string): string | undefined {
  const isComplete = cursor.length <= maxCursorLength && cursor.length % 4 !== 1;
  return isComplete && /^[\w-]+$/.test(cursor)
    ? Buffer.from(cursor, 'base64url').toString('latin1')
    : undefined;
}

/** For `certificates` and `/v1/certificates`. */
export const certificatePageSizes: PageSizes = { default: 100, max: 1000 };
/** For `disposableMailDomains` and `/v1/email/blacklist`. */
export const disposableMailPageSizes: PageSizes = { default: 100, max: 10_000 };
/** For `subdomains` and `/v1/subdomains`, which have one page. */
export const subdomainPageSizes: PageSizes = { default: 500, max: 2000 };

/** Returns a request for a page. A cursor of digits is deprecated: it is the number of items to skip. */
export function pageRequestOf(limit: number, cursor: string | null | undefined): PageRequest {
  if (cursor === null || cursor === undefined) return { limit };
  // No cursor of the gateway has only digits.
  return /^\s*\+?\d{1,9}(?:\.0+)?\s*$/.test(cursor)
    ? { limit, offset: Number(cursor) }
    : { limit, cursor };
}
