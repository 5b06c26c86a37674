import type { Json, JsonObject } from '../../domain/registration.ts';
import { withMemberNames } from './member-names.ts';

/**
 * Parses a body as JSON. Returns undefined if it is invalid or exceeds the limits; the largest real
 * response has 1,500 nodes.
 */
export function readJson(body: Uint8Array): Json | undefined {
  const text = decodeJson(body);
  const json = text === undefined ? undefined : parseJson(text);
  return json !== undefined && countNodes(json, 0) <= maxNodes ? json : undefined;
}

/** Returns the text of a body; undefined if it is not in UTF-8. */
export function decodeJson(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Parses a text as JSON. Returns undefined if it is invalid. */
export function parseJson(text: string): Json | undefined {
  try {
    return (longInteger.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function asObject(json: Json | undefined): JsonObject | undefined {
  return isContainer(json) && !isArray(json) ? json : undefined;
}

/**
 * Returns an array, or the values of an object with the keys 0, 1, 2 …, which some PHP servers send
 * instead.
 */
export function asList(json: Json | undefined): readonly Json[] | undefined {
  if (isArray(json)) return json.length > maxListLength ? json.slice(0, maxListLength) : json;
  const object = asObject(json);
  return object && Object.keys(object).every((key) => /^\d+$/.test(key))
    ? Object.values(object).slice(0, maxListLength)
    : undefined;
}

/** Returns the entries of a list, or a list of the single value that was sent instead of one. */
export function listOf(json: Json | undefined): readonly Json[] {
  return asList(json) ?? (json === undefined || json === null ? [] : [json]);
}

export function objectsOf(json: Json | undefined): readonly JsonObject[] {
  return listOf(json)
    .map(asObject)
    .filter((object) => object !== undefined);
}

/** Returns a copy without the fields that are undefined. */
export function omitUndefined<T extends object>(fields: WithUndefined<T>): T {
  const record: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name as keyof T];
    if (value !== undefined) record[name] = value;
  }
  return record as T;
}

/**
 * No client needs more entries of a list, and a malicious body of 1 MiB can contain a hundred
 * thousand.
 */
export const maxListLength = 200;

type WithUndefined<T> = {
  [K in keyof T]: Partial<Pick<T, K>> extends Pick<T, K> ? T[K] | undefined : T[K];
};

const maxDepth = 64;
const maxNodes = 50_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** An integer that a number may not represent, such as a handle. */
const longInteger = /[[:,]\s*-?\d{16}/;

/** Returns such an integer as its text, so that no digit is lost. */
function keepDigits(_key: string, value: Json, context?: { readonly source?: string }): Json {
  const { source = '' } = context ?? {};
  const isInexact = typeof value === 'number' && !Number.isSafeInteger(value);
  return isInexact && /^-?\d+$/.test(source) ? source : value;
}

/** Returns whether an object has a class (RFC 9083 section 4), such as `ip network` or `IpNetwork`. */
export function hasClass(object: JsonObject | undefined, name: string): boolean {
  const sent = object?.['objectClassName'];
  return sent === name || (typeof sent === 'string' && letters(sent) === letters(name));
}

const letters = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, '');

/**
 * Returns the number of values, or Infinity if they are nested too deeply. The recursion stops at
 * `maxDepth`: JSON.parse accepts nesting that would overflow the stack.
 */
function countNodes(value: Json, depth: number): number {
  if (!isContainer(value)) return 1;
  // At the maximum depth, only scalar values are allowed.
  if (depth >= maxDepth) return Infinity;

  let nodes = 1;
  if (isArray(value)) for (const child of value) nodes += countNodes(child, depth + 1);
  else for (const key in value) nodes += countNodes(value[key] ?? null, depth + 1);

  return nodes;
}

function isContainer(json: Json | undefined): json is readonly Json[] | JsonObject {
  return typeof json === 'object' && json !== null;
}

function isArray(json: Json | undefined): json is readonly Json[] {
  return Array.isArray(json);
}

/**
 * Reads an object, whose members `read` gets with the names of RFC 9083. If it throws, calls
 * `onParserError` and returns what it reads from an object without members.
 */
export function readSafely<T>(
  read: (object: JsonObject) => T,
  object: JsonObject,
  onParserError: ((error: unknown) => void) | undefined,
): T {
  try {
    return read(withMemberNames(object));
  } catch (error) {
    // No registry response may crash the process, even if our parser fails.
    onParserError?.(error);
    return read({});
  }
}
