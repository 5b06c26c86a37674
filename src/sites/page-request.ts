import { Problem } from '../domain/problems.ts';
import type { PageRequest } from './pages.ts';

/** The sizes of the pages of a list. */
export interface PageSizes {
  readonly default: number;
  readonly max: number;
}

/** For `certificates` and `/v1/certificates`. */
export const certificatePageSizes: PageSizes = { default: 100, max: 1000 };
/** For `disposableMailDomains` and `/v1/email/blacklist`. */
export const disposableMailPageSizes: PageSizes = { default: 100, max: 10_000 };
/** For `subdomains` and `/v1/subdomains`, which have one page. */
export const subdomainPageSizes: PageSizes = { default: 500, max: 2000 };

/**
 * Returns the size of a page, by default that of the list. Throws `invalid_parameter`, which names
 * `param`, if it is not a whole number or exceeds the maximum.
 */
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

/** Returns a request for a page. A cursor of digits is deprecated: it is the number of items to skip. */
export function pageRequestOf(limit: number, cursor: string | null | undefined): PageRequest {
  if (cursor === null || cursor === undefined) return { limit };
  // No cursor of the gateway has only digits.
  return /^\s*\+?\d{1,9}(?:\.0+)?\s*$/.test(cursor)
    ? { limit, offset: Number(cursor) }
    : { limit, cursor };
}
