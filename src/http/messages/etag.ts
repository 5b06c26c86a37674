import { hash } from 'node:crypto';

/** The times of a row, in ISO 8601. */
export interface AgedRow {
  /** Null for a result without a verdict. */
  readonly status: string | null;
  /** When the registry responded; null if no registry was queried. */
  readonly checked_at: string | null;
  /** When the row stops being fresh by default; null if it is not cached. */
  readonly fresh_until: string | null;
}

/**
 * Returns the weak entity tag of a body. Two bodies for one payer have the same tag if they differ
 * only in durations, `cached` and `checked_at`.
 */
export type EtagFactory = (body: object, payerId: string | undefined) => string;

/**
 * Creates a factory of ETags that are keyed with a secret: otherwise a client could guess the tags
 * of all possible bodies, and learn a paid answer from a free 304.
 */
export function createEtagFactory(secret: string): EtagFactory {
  return (body, payerId = '') => {
    // SHA-512/256 resists length extension, so prefixing the secret is as safe as HMAC, and takes a
    // third of the time.
    return `W/"${hash('sha512-256', JSON.stringify([secret, payerId, withoutVolatileFields(body)]), 'base64url')}"`;
  };
}

/**
 * Returns whether `If-None-Match` lists the tag, by weak comparison (RFC 9110 section 13.1.2).
 * Invalid tags and `*` do not match: they do not prove that the client has a copy.
 */
export function matchesIfNoneMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  // The gateway's own tags contain no commas, so splitting at commas finds them.
  return ifNoneMatch?.split(',').some((tag) => opaqueTag(tag.trim()) === opaqueTag(etag)) === true;
}

/**
 * Returns `Cache-Control` and, if a registry was queried, `Age` of a response with these rows to a
 * request with `maxAge`, in seconds.
 */
export function ageHeaders(
  rows: readonly AgedRow[],
  maxAge: number | undefined,
  now: number,
): Record<string, string> {
  const checkedAt = earliest(rows, 'checked_at');
  const age = checkedAt === undefined ? {} : { age: String(floorSeconds(now - checkedAt)) };
  return { 'cache-control': cacheControl(rows, maxAge, now), ...age };
}

function cacheControl(rows: readonly AgedRow[], maxAge: number | undefined, now: number): string {
  if (maxAge === 0 || rows.some(({ status }) => status === 'UNKNOWN' || status === 'PENDING'))
    return 'no-store';
  // Rows without a lookup are not cached here, so clients must not cache a response of such rows.
  const freshUntil = earliest(rows, 'fresh_until') ?? now;
  return `private, max-age=${Math.min(floorSeconds(freshUntil - now), maxAge ?? Infinity)}`;
}

/** Returns the earliest time in milliseconds, or undefined if no row has one. */
function earliest(
  rows: readonly AgedRow[],
  field: 'checked_at' | 'fresh_until',
): number | undefined {
  let first: string | null = null;
  // ISO 8601 times in UTC sort as strings.
  for (const { [field]: time } of rows)
    if (time !== null && (first === null || time < first)) first = time;
  return first === null ? undefined : Date.parse(first);
}

function floorSeconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1000));
}

function opaqueTag(tag: string): string {
  return tag.replace(/^W\//, '');
}

// JSON omits undefined members. Members of the registry's own object with these names stay.
const volatileFields = { latency_ms: undefined, cached: undefined, checked_at: undefined };

function withoutVolatileFields(body: object): object {
  const rows =
    'results' in body && Array.isArray(body.results)
      ? { results: body.results.map((row) => ({ ...row, ...volatileFields })) }
      : {};
  const meta =
    'meta' in body && typeof body.meta === 'object'
      ? { meta: { ...body.meta, duration_ms: undefined } }
      : {};
  const scan =
    'result' in body && typeof body.result === 'object'
      ? { result: { ...body.result, ...volatileFields, scan_duration_ms: undefined } }
      : {};
  return { ...body, ...volatileFields, ...rows, ...meta, ...scan };
}
