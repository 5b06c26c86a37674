import type { Resolver } from 'node:dns/promises';
import { withTimeLimit, type Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type { SiteRequest } from '../site-facts.ts';
import { errorCode } from '../../shared/error-code.ts';

/** What the readers of DNS records need. */
export interface RecordsOptions {
  /** Creates a resolver for a host. It is cancelled after the read. */
  readonly resolverOf: (host: string) => Resolver;
  /** Returns whether the records of a host may be read. */
  readonly isPublic: (host: string) => boolean;
  /**
   * Waits for a slot of the site. Returns a function that releases it; undefined if the queue
   * deadline or the signal ends the wait.
   */
  readonly acquireSlot: (host: string, request: SiteRequest) => Promise<(() => void) | undefined>;
  readonly clock: Clock;
}

/** Queries are retried at each resolver, so several slow resolvers could take longer. */
const maxReadMs = 5000;

/**
 * Calls `read` with a resolver and returns its result: records of a host or of a name under it.
 * Waits for a slot of the site first. Rejects with `site_blocked` if the host is not public, and with
 * `site_timeout` without a slot or after five seconds.
 */
export async function readRecords<T>(
  { resolverOf, isPublic, acquireSlot, clock }: RecordsOptions,
  host: string,
  request: SiteRequest,
  read: (resolver: Resolver) => Promise<T>,
): Promise<T> {
  if (!isPublic(host))
    throw new Problem('site_blocked', `${host} is not a public name, so its records are not read.`);
  const timeout = () =>
    new Problem('site_timeout', `The DNS records of ${host} were not read in time.`);
  const release = await acquireSlot(host, request);
  if (!release) throw timeout();
  const resolver = resolverOf(host);
  try {
    request.onSent?.();
    const found = read(resolver).then((value) => ({ value }));
    const result = await withTimeLimit(found, { clock, ms: maxReadMs, signal: request.signal });
    if (!result) throw timeout();
    return result.value;
  } finally {
    resolver.cancel();
    release();
  }
}

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
