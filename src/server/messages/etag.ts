import { hash } from 'node:crypto';

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

/** Returns whether `If-None-Match` is `*` or lists the tag (RFC 9110 section 13.1.2). */
export function matchesIfNoneMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.trim() === '*' || listsTag(ifNoneMatch, etag);
}

/**
 * Returns whether `If-None-Match` lists the tag, by weak comparison: proof that the client has a
 * copy, which `*` is not.
 */
export function listsTag(ifNoneMatch: string | undefined, etag: string): boolean {
  // The gateway's own tags contain no commas, so splitting at commas finds them.
  return ifNoneMatch?.split(',').some((tag) => opaqueTag(tag.trim()) === opaqueTag(etag)) === true;
}

function opaqueTag(tag: string): string {
  return tag.replace(/^W\//, '');
}

// JSON omits undefined members. Members of the registry's own object with these names stay.
const volatileFields = {
  latency_ms: undefined,
  total_time_ms: undefined,
  query_time_ms: undefined,
  cached: undefined,
  checked_at: undefined,
};

function withoutVolatileFields(body: object): object {
  const rows =
    'results' in body && Array.isArray(body.results)
      ? { results: body.results.map((row) => ({ ...row, ...volatileFields })) }
      : {};
  const meta =
    'meta' in body && typeof body.meta === 'object'
      ? { meta: { ...body.meta, ...volatileFields, duration_ms: undefined } }
      : {};
  const scan =
    'result' in body && typeof body.result === 'object'
      ? { result: { ...body.result, ...volatileFields, scan_duration_ms: undefined } }
      : {};

  return { ...body, ...volatileFields, ...rows, ...meta, ...scan };
}
