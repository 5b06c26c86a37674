import { Problem } from '../../../domain/problems.ts';
import { errorCode } from '../../../error-code.ts';

/** Whether the name has records of a type. `missing`: NXDOMAIN. */
export type Resolved<T> = { readonly records: T } | 'empty' | 'missing';

/** Waits for a query. Rejects with a `Problem` unless the records, or their absence, are known. */
export async function resolved<T>(query: Promise<T>, name: string): Promise<Resolved<T>> {
  try {
    return { records: await query };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENODATA') return 'empty';
    if (code === 'ENOTFOUND') return 'missing';
    throw problemOf(code, name, error);
  }
}

function problemOf(code: string, name: string, cause: unknown): Problem {
  return code === 'ETIMEOUT'
    ? new Problem('site_timeout', `The DNS servers of ${name} did not respond in time.`, { cause })
    : new Problem('site_unreachable', `The DNS records of ${name} could not be read.`, { cause });
}
