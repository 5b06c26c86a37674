import * as v from 'valibot';
import { Problem } from '../problems.ts';
import { RecentMap } from '../recent-map.ts';
import { anObject } from '../shapes.ts';
import { parseJson, readJsonText } from './body.ts';
import type { Call } from './call.ts';
import { single } from './parameters.ts';

/** A GraphQL-over-HTTP request, read. */
export interface GraphqlParams {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Record<string, unknown> | null | undefined;
}

export interface ReadParams {
  readonly params: GraphqlParams;
  /** Others that are spelled so will have this object. */
  readonly areShared: boolean;
}

const map = v.nullish(anObject());
const shape = v.object({
  query: v.pipe(v.string(), v.minLength(1)),
  operationName: v.nullish(v.string()),
  variables: map,
  extensions: map,
});

/** Bodies; clients send the same again, and a document with variables is seldom longer. */
const mostRemembered = 500;
const longestRemembered = 2048;

/**
 * Reads the parameters of a GET or a POST. Those of a body that is spelled as two of the last were are the same object. Throws a `Problem` that
 * says which one is at fault.
 */
export function graphqlParamsReader(): (call: Call) => Promise<ReadParams> {
  // Of those that came once nothing but their text is remembered.
  const recent = new RecentMap<string, GraphqlParams | undefined>(mostRemembered);
  return async (call) => {
    if (call.method !== 'POST') return { params: check(fromQuery(call.query)), areShared: false };
    const text = await readJsonText(call.request);
    const known = recent.get(text);
    if (known) return { params: known, areShared: true };
    const params = check(parseJson(text));
    const areShared = recent.has(text);
    if (text.length <= longestRemembered) recent.set(text, areShared ? params : undefined);
    return { params, areShared };
  };
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

function check(params: unknown): GraphqlParams {
  if (Array.isArray(params)) throw new Problem('invalid_query', 'Send one operation a request, not an array of them.');
  const { success, output, issues } = v.safeParse(shape, params);
  if (success) return output;
  const param = String(issues[0].path?.[0].key ?? 'query');
  throw new Problem('invalid_query', wanted[param] ?? `${param} must be a JSON object or null.`, { param });
}

const wanted: Readonly<Record<string, string>> = {
  query: 'Send a GraphQL document as query.',
  operationName: 'operationName must be a text or null.',
};
