import * as v from 'valibot';
import { Problem } from '../../domain/problems.ts';
import { anObject } from '../../shapes.ts';
import { parseJson, readJsonText } from '../request/body.ts';
import type { Call } from '../call.ts';
import { single } from '../request/parameters.ts';
import { checkHash, persistedHash, type PersistedQueries } from './persisted-queries.ts';

/** A GraphQL-over-HTTP request, read. */
interface GraphqlParams {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Record<string, unknown> | null | undefined;
}

export interface ReadParams {
  readonly params: GraphqlParams;
  /** The hash under which the query is to be registered if it is valid. */
  readonly sha256Hash?: string | undefined;
}

const map = v.nullish(anObject());
const shape = v.object({
  query: v.nullish(v.pipe(v.string(), v.minLength(1))),
  operationName: v.nullish(v.string()),
  variables: map,
  extensions: map,
});

type SentParams = v.InferOutput<typeof shape>;

/**
 * Reads the parameters of a GET or a POST. Undefined for the hash of a query that is not registered. Throws a `Problem` that says which
 * parameter is at fault.
 */
export async function readParams(
  call: Call,
  persisted: PersistedQueries,
): Promise<ReadParams | undefined> {
  const sent = check(
    call.method === 'POST' ? parseJson(await readJsonText(call.request)) : fromQuery(call.query),
  );
  return resolved(sent, persisted);
}

/** The query as sent, or the one that is registered under its hash. */
function resolved(
  { query, ...params }: SentParams,
  persisted: PersistedQueries,
): ReadParams | undefined {
  const sha256Hash = persistedHash(params.extensions);
  if (sha256Hash === undefined) {
    if (query === undefined || query === null) throw invalid('query');
    return { params: { ...params, query } };
  }
  if (query !== undefined && query !== null) checkHash(query, sha256Hash);
  const document = query ?? persisted.get(sha256Hash);
  return document === undefined
    ? undefined
    : { params: { ...params, query: document }, sha256Hash };
}

function fromQuery(query: URLSearchParams): unknown {
  return {
    query: single(query, 'query'),
    operationName: single(query, 'operationName'),
    variables: jsonOf(query, 'variables'),
    extensions: jsonOf(query, 'extensions'),
  };
}

function jsonOf(query: URLSearchParams, param: string): unknown {
  const text = single(query, param);
  try {
    return JSON.parse(text || 'null');
  } catch (error) {
    throw new Problem('invalid_query', `${param} is not JSON.`, { param, cause: error });
  }
}

function check(params: unknown): SentParams {
  if (Array.isArray(params))
    throw new Problem('invalid_query', 'Send one operation a request, not an array of them.');
  const { success, output, issues } = v.safeParse(shape, params);
  if (success) return output;
  throw invalid(String(issues[0].path?.[0].key ?? 'query'));
}

function invalid(param: string): Problem {
  return new Problem('invalid_query', wanted[param] ?? `${param} must be a JSON object or null.`, {
    param,
  });
}

const wanted: Readonly<Record<string, string>> = {
  query: 'Send a GraphQL document as query.',
  operationName: 'operationName must be a text or null.',
};
