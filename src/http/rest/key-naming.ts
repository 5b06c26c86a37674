import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../../domain/problems.ts';
import { readParameters } from '../request/parameters.ts';

/** The header that asks for snake_case. */
const namingHeaderName = 'Service-Naming';

/** Whether the keys are wanted in snake_case: `naming` in the query, else the header. Throws `invalid_naming`, which names the one at fault. */
export function requestsSnakeCase(query: URLSearchParams, headers: IncomingHttpHeaders): boolean {
  const naming = readParameters(query).single('naming');
  return naming === undefined
    ? isSnakeValue(headers['service-naming'], namingHeaderName)
    : isSnakeValue(naming, 'naming');
}

/**
 * The same value with every key in snake_case, at any depth. Of keys that meet, the one that was snake_case keeps the name, or else the
 * first, and the others get the first of `_2`, `_3` … that is free.
 */
export function toSnakeCaseKeys(value: unknown): unknown {
  // It may call itself: what registries send is refused where it is deeper than 64 levels, and nothing of ours is deeper.
  if (Array.isArray(value)) return value.map(toSnakeCaseKeys);
  if (typeof value !== 'object' || value === null) return value;
  const names = snakeCaseNames(Object.keys(value));
  // `fromEntries` makes own members of all keys, `__proto__` too.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [names.get(key), toSnakeCaseKeys(member)]),
  );
}

/**
 * Splits before an upper-case letter that follows a lower-case letter or a digit, and before the last of a run of capitals that a lower-case
 * letter follows. Letters and digits of any script are such; of what is neither, every single character becomes `_`.
 */
export function toSnakeCase(key: string): string {
  if (/^[a-z0-9_]*$/.test(key)) return key;
  // What does not change when it is lowered, such as 𝐀, cannot be split off twice: a name that is snake_case must stay as it is.
  const words = key.replace(/(?<=[\p{Ll}\p{Nd}])(?=\p{CWL})|(?<=\p{CWL})(?=\p{CWL}\p{Ll})/gu, '_');
  return words.toLowerCase().replace(/[^\p{L}\p{Nd}]/gu, '_');
}

function isSnakeValue(value: string | readonly string[] | undefined, param: string): boolean {
  if (value === undefined) return false;
  if (String(value).toLowerCase() !== 'snake')
    throw new Problem('invalid_naming', `${param} takes the value snake, or is left out.`, {
      param,
    });
  return true;
}

/** What each key is called; no two the same. */
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

/** Takes it. Numbers go on where they ended: a registry may send thousands of keys that meet. */
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
