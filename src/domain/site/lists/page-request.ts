import { Problem } from '../../problems.ts';
import type { PageRequest } from './pages.ts';

/** The sizes of the pages of a list. */
export interface PageSizes {
  readonly default: number;
  readonly max: number;
}

export const certificatePageSizes: PageSizes = { default: 100, max: 1000 };
export const disposableMailPageSizes: PageSizes = { default: 100, max: 10_000 };
export const subdomainPageSizes: PageSizes = { default: 500, max: 2000 };

/** Returns the size of a page. Throws `invalid_parameter`, which names `param`. */
export function pageSizeOf(
  size: number | null | undefined,
  sizes: PageSizes,
  param: string,
): number {
  const value = size ?? sizes.default;
  if (!Number.isInteger(value) || value < 1 || value > sizes.max)
    throw new Problem(
      'invalid_parameter',
      `${param} must be a whole number from 1 to ${sizes.max}.`,
      { param },
    );
  return value;
}

/** Returns a request for a page. A number as the cursor is deprecated: it is the items to skip. */
export function pageRequestOf(limit: number, cursor: string | null | undefined): PageRequest {
  if (cursor === null || cursor === undefined) return { limit };
  // No cursor of the gateway has only digits.
  return /^\s*\+?\d{1,9}(?:\.0+)?\s*$/.test(cursor)
    ? { limit, offset: Number(cursor) }
    : { limit, cursor };
}
