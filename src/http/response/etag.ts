import { hash } from 'node:crypto';

/** What a row says of its age. */
export interface AgedRow {
  readonly status: string;
  /** When the registry said so; null when nobody was asked. */
  readonly checked_at: string | null;
  /** When it stops being fresh by default; null when it is not kept. */
  readonly fresh_until: string | null;
}

/** Gives a body its weak entity tag: equal for bodies that say the same to one payer, however long they took and wherever they came from. */
export type EtagFactory = (body: object, payerId: string | undefined) => string;

/** A tag that can be made up tells for nothing what a body says, to who sends a tag for each thing that it may say: so it takes a secret. */
export function createEtagFactory(secret: string): EtagFactory {
  return (body, payerId = '') => {
    // Who knows a digest of SHA-512/256 cannot go on with it: a secret in front does what HMAC does, in a third of the time.
    return `W/"${hash('sha512-256', JSON.stringify([secret, payerId, withoutVolatileFields(body)]), 'base64url')}"`;
  };
}

/** Whether `If-None-Match` names the tag, by weak comparison. What is no tag in it, `*` too, matches nothing: it proves no copy. */
export function matchesIfNoneMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  // Tags of others may hold commas, ours do not: a piece that equals ours is ours.
  return ifNoneMatch?.split(',').some((tag) => opaqueTag(tag.trim()) === opaqueTag(etag)) === true;
}

/** `Cache-Control` and, where anybody was asked, `Age` of an answer with these rows, to a caller who takes one of at most `maxAge` seconds. */
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
  // Rows that nobody was asked about are not kept here, so a call that has no others is not to be kept by its caller.
  const freshUntil = earliest(rows, 'fresh_until') ?? now;
  return `private, max-age=${Math.min(floorSeconds(freshUntil - now), maxAge ?? Infinity)}`;
}

/** As a time; undefined where no row has one. */
function earliest(
  rows: readonly AgedRow[],
  field: 'checked_at' | 'fresh_until',
): number | undefined {
  let first: string | null = null;
  // Written alike, they are in the order of their texts.
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

// What is undefined is left out of JSON. The registry's own object may use these words too, and keeps them.
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
  return { ...body, ...volatileFields, ...rows, ...meta };
}
