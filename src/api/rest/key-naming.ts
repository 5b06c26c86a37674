import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../../domain/problems.ts';
import type { HttpRequestContext } from '../../server/http-request-context.ts';
import { collectProblems } from '../../server/messages/collect-problems.ts';
import { readParameters, type QueryParameters } from '../../server/messages/parameters.ts';

/** Reads the parts of a request, and whether it requests snake_case keys, as `collectProblems` does. */
export function readRequest<Readers extends Readonly<Record<string, () => unknown>>>(
  { query, request, usedAliases }: HttpRequestContext,
  readersOf: (parameters: QueryParameters) => Readers,
) {
  const parameters = readParameters(query, usedAliases);
  return collectProblems({
    ...readersOf(parameters),
    hasSnakeCaseKeys: () => requestsSnakeCase(parameters, request.headers),
  });
}

const namingHeaderName = 'Service-Naming';

/**
 * Returns whether snake_case keys are requested, by the `naming` parameter or else by the header.
 * Throws `invalid_naming`, which names the invalid one.
 */
export function requestsSnakeCase(
  { single }: Pick<QueryParameters, 'single'>,
  headers: IncomingHttpHeaders,
): boolean {
  const naming = single('naming');
  return naming === undefined
    ? isSnakeValue(headers['service-naming'], namingHeaderName)
    : isSnakeValue(naming, 'naming');
}

/**
 * Returns the value with all keys in snake_case, at any depth. If keys collide, the one that
 * already was in snake_case is unchanged, or else the first gets the name; the others get the first
 * unused suffix of `_2`, `_3` …
 */
export function toSnakeCaseKeys(value: unknown): unknown {
  // Recursion is safe: registry responses deeper than 64 levels are rejected, and nothing else is
  // deeper.
  if (Array.isArray(value)) return value.map(toSnakeCaseKeys);
  if (typeof value !== 'object' || value === null) return value;

  const names = snakeCaseNames(Object.keys(value));
  // `fromEntries` creates own properties for all keys, including `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [names.get(key), toSnakeCaseKeys(member)]),
  );
}

/**
 * Returns a key in snake_case. Words begin at an upper-case letter after a lower-case letter or
 * digit, and at the last of several upper-case letters before a lower-case one. Letters and digits
 * of any script count; every other character becomes `_`.
 */
export function toSnakeCase(key: string): string {
  if (/^[a-z0-9_]*$/.test(key)) return key;
  // Only letters that change in lower case split words (not 𝐀, for example): otherwise a snake_case
  // name could change again.
  const words = key.replace(/(?<=[\p{Ll}\p{Nd}])(?=\p{CWL})|(?<=\p{CWL})(?=\p{CWL}\p{Ll})/gu, '_');
  return words.toLowerCase().replace(/[^\p{L}\p{Nd}]/gu, '_');
}

function isSnakeValue(value: string | readonly string[] | undefined, param: string): boolean {
  if (value === undefined) return false;
  if (String(value).toLowerCase() !== 'snake')
    throw new Problem('invalid_naming', `The only supported value of ${param} is "snake".`, {
      param,
    });
  return true;
}

function snakeCaseNames(keys: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const usedNames = new Set(keys.filter((key) => toSnakeCase(key) === key));
  const nextSuffixes = new Map<string, number>();
  for (const key of keys) {
    const name = toSnakeCase(key);
    names.set(key, name === key ? key : uniqueName(name, usedNames, nextSuffixes));
  }

  return names;
}

/**
 * Reserves a unique name. Suffixes continue from the last one: a registry may send thousands of
 * colliding keys.
 */
function uniqueName(
  name: string,
  usedNames: Set<string>,
  nextSuffixes: Map<string, number>,
): string {
  let candidate = name;
  let suffix = nextSuffixes.get(name) ?? 2;
  for (; usedNames.has(candidate); suffix++) candidate = `${name}_${suffix}`;
  nextSuffixes.set(name, suffix);
  usedNames.add(candidate);
  return candidate;
}
