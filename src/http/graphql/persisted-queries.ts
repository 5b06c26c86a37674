import { hash } from 'node:crypto';
import * as v from 'valibot';
import { Problem } from '../../domain/problems.ts';

const maxBytes = 4_000_000;
const maxDocumentBytes = 16 * 1024;
/** The memory of an entry, apart from its document. */
const entryOverheadBytes = 256;

interface Entry {
  readonly document: string;
  readonly account: string;
  readonly bytes: number;
}

/** What an account has registered. */
interface Share {
  /** The least recently used first. */
  readonly hashes: Set<string>;
  bytes: number;
}

/**
 * Documents that clients may replace by their SHA-256 hash (automatic persisted queries). They are
 * held in the memory of this process only: a client that gets `persisted_query_not_found` sends the
 * document again. If there is no space left, the account that holds the most loses its least recently
 * used documents, so that no account can displace those of all others.
 */
export class PersistedQueries {
  readonly #entries = new Map<string, Entry>();
  readonly #shares = new Map<string, Share>();
  #bytes = 0;

  /** Returns the document with this hash, of any account. */
  get(sha256Hash: string): string | undefined {
    const entry = this.#entries.get(sha256Hash);
    if (!entry) return undefined;
    const hashes = this.#shares.get(entry.account)?.hashes;
    if (hashes?.delete(sha256Hash)) hashes.add(sha256Hash);
    return entry.document;
  }

  /** Registers a document that has this hash for an account, unless it is longer than 16 KiB. */
  add(sha256Hash: string, document: string, account = ''): void {
    const length = Buffer.byteLength(document);
    if (length > maxDocumentBytes || this.#entries.has(sha256Hash)) return;
    const bytes = length + entryOverheadBytes;
    this.#entries.set(sha256Hash, { document, account, bytes });
    const share = this.#shares.get(account) ?? { hashes: new Set(), bytes: 0 };
    this.#shares.set(account, share);
    share.hashes.add(sha256Hash);
    share.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > maxBytes) this.#removeFromLargestShare();
  }

  #removeFromLargestShare(): void {
    let largest: Share = { hashes: new Set(), bytes: 0 };
    for (const share of this.#shares.values()) if (share.bytes > largest.bytes) largest = share;
    const [oldest = ''] = largest.hashes;
    const { account = '', bytes = 0 } = this.#entries.get(oldest) ?? {};
    this.#entries.delete(oldest);
    largest.hashes.delete(oldest);
    largest.bytes -= bytes;
    this.#bytes -= bytes;
    if (largest.hashes.size === 0) this.#shares.delete(account);
  }
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
