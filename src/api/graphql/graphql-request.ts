import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as v from 'valibot';
import { Problem } from '../../domain/problems.ts';
import { objectShape } from '../../shared/shapes.ts';
import type { AuthenticatedRequest } from '../../server/http-request-context.ts';
import { parseJson, readJsonText } from '../../server/messages/body.ts';
import { singleValue } from '../../server/messages/parameters.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

export interface GraphqlRequest {
  readonly params: Pick<SentParams, 'operationName' | 'variables'> & { readonly query: string };
  /** The hash under which a valid query is registered. */
  readonly sha256Hash?: string | undefined;
  /** The client asks what the operation costs, instead of running it. */
  readonly isExplained: boolean;
}

const optionalObject = v.nullish(objectShape());
const paramsSchema = v.object({
  documentId: v.nullish(v.string()),
  query: v.nullish(v.pipe(v.string(), v.minLength(1))),
  operationName: v.nullish(v.string()),
  variables: optionalObject,
  extensions: optionalObject,
});

type SentParams = v.InferOutput<typeof paramsSchema>;

/**
 * Reads the parameters of a GET or a POST. Returns undefined for the hash of a query that is not
 * registered. Throws `invalid_query`, which names the parameter at fault, `forbidden_operation` for a
 * document that the key does not list, or what `readJsonText` throws.
 */
export async function readGraphqlRequest(
  http: AuthenticatedRequest,
  persistedQueries: PersistedQueries,
  trustedDocuments: TrustedDocuments,
): Promise<GraphqlRequest | undefined> {
  const sent = validateParams(
    http.method === 'POST'
      ? parseJson(await readJsonText(http.request))
      : paramsFromQuery(http.query),
  );
  const isExplained = readExplain(sent.extensions);
  const { payer, work } = http;
  if (!payer?.documents) {
    const request = resolvePersistedQuery(sent, persistedQueries);
    return request && { ...request, isExplained };
  }

  const { query, documentId, ...params } = sent;
  const id = documentId ?? persistedId(sent.extensions);
  if (typeof query !== 'string' && id === undefined) throw invalidParam('query');

  const selected = { ...params, text: query ?? undefined, id };
  const document = trustedDocuments.find(payer.documents, selected, work);

  return { params: { ...params, query: document }, isExplained };
}

/** Reads `extensions.explain`. Throws `invalid_query`. */
function readExplain(extensions: Readonly<Record<string, unknown>> | null | undefined): boolean {
  const sent = extensions?.['explain'];
  if (sent === undefined || sent === null) return false;
  if (sent === 'cost') return true;
  const param = 'extensions.explain';
  throw new Problem('invalid_query', 'explain must be "cost".', { param });
}

/** Returns the query that was sent, or the one that is registered under its hash. */
function resolvePersistedQuery(
  { query, documentId: _trustedOnly, ...params }: SentParams,
  persistedQueries: PersistedQueries,
): Omit<GraphqlRequest, 'isExplained'> | undefined {
  const sha256Hash = readPersistedHash(params.extensions);
  if (sha256Hash === undefined) {
    if (query === undefined || query === null) throw invalidParam('query');
    return { params: { ...params, query } };
  }

  if (query !== undefined && query !== null) checkHash(query, sha256Hash);
  const document = query ?? persistedQueries.get(sha256Hash);

  return document === undefined
    ? undefined
    : { params: { ...params, query: document }, sha256Hash };
}

/** Reads the parameters of a GET, of which empty ones are absent (GraphQL over HTTP, "GET"). */
function paramsFromQuery(query: URLSearchParams): unknown {
  const text = (param: string) => singleValue(query, param) || undefined;
  return {
    query: text('query'),
    documentId: text('documentId'),
    operationName: text('operationName'),
    variables: parseJsonParam('variables', text('variables')),
    extensions: parseJsonParam('extensions', text('extensions')),
  };
}

function parseJsonParam(param: string, text = 'null'): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem('invalid_query', `${param} is not valid JSON.`, { param, cause: error });
  }
}

function validateParams(params: unknown): SentParams {
  if (Array.isArray(params))
    throw new Problem(
      'invalid_query',
      'Send one operation per request, not an array of operations.',
    );

  const { success, output, issues } = v.safeParse(paramsSchema, params);
  if (success) return output;

  throw invalidParam(String(issues[0].path?.[0].key ?? 'query'));
}

function invalidParam(param: string): Problem {
  return new Problem(
    'invalid_query',
    paramHints[param] ?? `${param} must be a JSON object or null.`,
    {
      param,
    },
  );
}

const paramHints: Readonly<Record<string, string>> = {
  query: 'Send a GraphQL document as query.',
  documentId: 'documentId must be a string or null.',
  operationName: 'operationName must be a string or null.',
};

const maxDocumentBytes = 16 * 1024;
/** The memory of an entry, apart from its document. */
const entryOverheadBytes = 256;

type PersistedQueries = LRUCache<string, string>;

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
function readPersistedHash(
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
function persistedId(
  extensions: Readonly<Record<string, unknown>> | null | undefined,
): string | undefined {
  const { success, output } = v.safeParse(persistedIdSchema, extensions?.['persistedQuery']);
  return success ? output.sha256Hash : undefined;
}

/** Checks that a document has this hash. Throws `invalid_query` if it does not. */
function checkHash(document: string, sha256Hash: string): void {
  if (hash('sha256', document) === sha256Hash) return;
  const detail = 'sha256Hash is not the SHA-256 hash of the query.';
  throw new Problem('invalid_query', detail, { param: 'extensions.persistedQuery.sha256Hash' });
}
