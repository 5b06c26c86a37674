import { Problem } from '../../domain/problems.ts';
import { errorCode } from '../../shared/error-code.ts';

/** The records of a name of one type; `empty` if it has none of this type, `missing` for NXDOMAIN. */
type QueryResult<T> = { readonly records: T } | 'empty' | 'missing';

/**
 * Waits for a query about a name. Rejects with `site_timeout` or `site_unreachable` unless the
 * records, or their absence, are known.
 */
export async function queryResult<T>(query: Promise<T>, name: string): Promise<QueryResult<T>> {
  try {
    return { records: await query };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENODATA') return 'empty';
    if (code === 'ENOTFOUND') return 'missing';
    throw problemOf(code, name, error);
  }
}

/** Returns the records of a result; an empty list if there are none. */
export function recordsIn<T>(result: QueryResult<readonly T[]>): readonly T[] {
  return typeof result === 'object' ? result.records : [];
}

function problemOf(code: string, name: string, cause: unknown): Problem {
  return code === 'ETIMEOUT'
    ? new Problem('site_timeout', `The DNS servers of ${name} did not respond in time.`, { cause })
    : new Problem('site_unreachable', `The DNS records of ${name} could not be read.`, { cause });
}
