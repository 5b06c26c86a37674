import type { Json, JsonObject } from '../../../domain/registration.ts';
import { isObject } from '../../../shapes.ts';

/** The JSON of a body; undefined when it is none, or deeper or larger than an honest answer, of which the largest seen has 1,500 nodes. */
export function readJson(body: Uint8Array): Json | undefined {
  const json = parse(body);
  return json !== undefined && isWithinLimits(json) ? json : undefined;
}

export function asObject(json: Json | undefined): JsonObject | undefined {
  return isObject(json) ? json : undefined;
}

/** An array, or the object with the keys 0, 1, 2 … that some PHP servers send in its place. */
export function asList(json: Json | undefined): readonly Json[] | undefined {
  if (isArray(json)) return json.length > maxListLength ? json.slice(0, maxListLength) : json;
  const object = asObject(json);
  return object && Object.keys(object).every((key) => /^\d+$/.test(key))
    ? Object.values(object).slice(0, maxListLength)
    : undefined;
}

/** What stands where a list belongs: its entries, or the one thing that was sent without a list around it. */
export function listOf(json: Json | undefined): readonly Json[] {
  return asList(json) ?? (json === undefined || json === null ? [] : [json]);
}

export function objectsOf(json: Json | undefined): readonly JsonObject[] {
  return listOf(json)
    .map(asObject)
    .filter((object) => object !== undefined);
}

/** A record without the fields that are undefined, so that an absent fact is an absent field. */
export function omitUndefined<T extends object>(fields: WithUndefined<T>): T {
  const record: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name as keyof T];
    if (value !== undefined) record[name] = value;
  }
  return record as T;
}

/** No page, cache row or client needs more entries of any one list, and a hostile body of 1 MiB holds a hundred thousand. */
export const maxListLength = 200;

type WithUndefined<T> = {
  [K in keyof T]: Partial<Pick<T, K>> extends Pick<T, K> ? T[K] | undefined : T[K];
};

const maxDepth = 64;
const maxNodes = 50_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(body: Uint8Array): Json | undefined {
  try {
    return JSON.parse(utf8.decode(body)) as Json;
  } catch (error) {
    // Bytes that are no UTF-8 are a TypeError, a text that is no JSON a SyntaxError.
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isWithinLimits(json: Json): boolean {
  let nodes = 0;
  // Calls itself no deeper than that, though JSON.parse returns what is too deep for a function that would.
  const isWithin = (value: Json, depth: number): boolean => {
    nodes += 1;
    if (!isContainer(value)) return true;
    // Deeper than that there is nothing but single values.
    if (depth >= maxDepth || nodes > maxNodes) return false;
    const children = isArray(value) ? value : Object.values(value);
    return children.every((child) => isWithin(child, depth + 1));
  };
  return isWithin(json, 0) && nodes <= maxNodes;
}

function isContainer(json: Json | undefined): json is readonly Json[] | JsonObject {
  return typeof json === 'object' && json !== null;
}

function isArray(json: Json | undefined): json is readonly Json[] {
  return Array.isArray(json);
}
