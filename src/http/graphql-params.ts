import { z } from 'zod';
import { Problem } from '../problems.ts';
import { readJsonBody } from './body.ts';
import type { Call } from './call.ts';

/** A GraphQL-over-HTTP request, read. */
export interface GraphqlParams {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Record<string, unknown> | null | undefined;
}

const map = z.record(z.string(), z.unknown()).nullish();
const shape = z.object({ query: z.string().min(1), operationName: z.string().nullish(), variables: map, extensions: map });

/** Reads the parameters of a GET or a POST. Throws a `Problem` that says which one is at fault. */
export async function readGraphqlParams(call: Call): Promise<GraphqlParams> {
  return check(call.method === 'POST' ? await readJsonBody(call.request) : fromQuery(call.query));
}

function fromQuery(query: URLSearchParams): unknown {
  return {
    query: query.get('query') ?? undefined,
    operationName: query.get('operationName'),
    variables: jsonOf(query, 'variables'),
    extensions: jsonOf(query, 'extensions'),
  };
}

function jsonOf(query: URLSearchParams, param: string): unknown {
  try {
    return JSON.parse(query.get(param) || 'null');
  } catch (error) {
    throw new Problem('invalid_query', `${param} is not JSON.`, { param, cause: error });
  }
}

function check(params: unknown): GraphqlParams {
  if (Array.isArray(params)) throw new Problem('invalid_query', 'Send one operation a request, not an array of them.');
  const parsed = shape.safeParse(params);
  if (parsed.success) return parsed.data;
  const param = String(parsed.error.issues[0]?.path[0] ?? 'query');
  throw new Problem('invalid_query', param === 'query' ? 'Send a GraphQL document as query.' : `${param} must be a JSON object or null.`, {
    param,
  });
}
