import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as v from 'valibot';
import { Problem } from '../../domain/problems.ts';

const maxDocumentBytes = 16 * 1024;
/** The memory of an entry, apart from its document. */
const entryOverheadBytes = 256;

/** Documents by their SHA-256 hash. */
export type PersistedQueries = LRUCache<string, string>;

/**
 * Creates the store of the documents that clients may replace by their hash (automatic persisted
 * queries). They are held in the memory of this process only: a client that gets
 * `persisted_query_not_found` sends the document again. Documents of more than 16 KiB are not stored.
 */
export function createPersistedQueries(): PersistedQueries {
  return new LRUCache({
    maxSize: 4_000_000,
    maxEntrySize: maxDocumentBytes + entryOverheadBytes,
    sizeCalculation: (document) => Buffer.byteLength(document) + entryOverheadBytes,
  });
}

const persistedQuerySchema = v.object({
  version: v.literal(1),
  sha256Hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});

/** Reads the hash in `extensions.persistedQuery`. Throws `invalid_query`. */
export function readPersistedHash(
  extensions: Readonly<Record<string, unknown>> | null | undefined,
): string | undefined {
  const sent = extensions?.['persistedQuery'];
  if (sent === undefined || sent === null) return undefined;
  const { success, output, issues } = v.safeParse(persistedQuerySchema, sent);
  if (success) return output.sha256Hash;
  const member = String(v.getDotPath(issues[0]) ?? '');
  const detail =
    'persistedQuery must have version 1 and a sha256Hash: the SHA-256 hash of the query in 64 lower-case hexadecimal digits.';
  throw new Problem('invalid_query', detail, {
    param: ['extensions', 'persistedQuery', member].filter(Boolean).join('.'),
  });
}

const persistedIdSchema = v.object({ sha256Hash: v.string() });

/**
 * Returns the identifier that `extensions.persistedQuery` contains as a hash. Code generators also
 * write SHA-1 or MD5 hashes into their manifests.
 */
export function persistedId(
  extensions: Readonly<Record<string, unknown>> | null | undefined,
): string | undefined {
  const { success, output } = v.safeParse(persistedIdSchema, extensions?.['persistedQuery']);
  return success ? output.sha256Hash : undefined;
}

/** Checks that a document has this hash. Throws `invalid_query` if it does not. */
export function checkHash(document: string, sha256Hash: string): void {
  if (hash('sha256', document) === sha256Hash) return;
  const detail = 'sha256Hash is not the SHA-256 hash of the query.';
  throw new Problem('invalid_query', detail, { param: 'extensions.persistedQuery.sha256Hash' });
}
