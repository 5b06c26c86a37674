import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../../domain/problems.ts';
import { readParameters } from '../request/parameters.ts';

/** The header that asks for snake_case. */
const namingHeader = 'Service-Naming';

/** Whether the keys are wanted in snake_case: `naming` in the query, else the header. Throws `invalid_naming`, which names the one at fault. */
export function wantsSnake(query: URLSearchParams, headers: IncomingHttpHeaders): boolean {
  const asked = readParameters(query).one('naming');
  return asked === undefined
    ? isSnake(headers['service-naming'], namingHeader)
    : isSnake(asked, 'naming');
}

/**
 * The same value with every key in snake_case, at any depth. Of keys that meet, the one that was snake_case keeps the name, or else the
 * first, and the others get the first of `_2`, `_3` … that is free.
 */
export function snakeKeys(value: unknown): unknown {
  // It may call itself: what registries send is refused where it is deeper than 64 levels, and nothing of ours is deeper.
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== 'object' || value === null) return value;
  const names = snakeNames(Object.keys(value));
  // `fromEntries` makes own members of all keys, `__proto__` too.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [names.get(key), snakeKeys(inner)]),
  );
}

/**
 * Splits before an upper-case letter that follows a lower-case letter or a digit, and before the last of a run of capitals that a lower-case
 * letter follows. Letters and digits of any script are such; of what is neither, every single character becomes `_`.
 */
export function snakeCase(key: string): string {
  if (/^[a-z0-9_]*$/.test(key)) return key;
  // What does not change when it is lowered, such as 𝐀, cannot be split off twice: a name that is snake_case must stay as it is.
  const words = key.replace(/(?<=[\p{Ll}\p{Nd}])(?=\p{CWL})|(?<=\p{CWL})(?=\p{CWL}\p{Ll})/gu, '_');
  return words.toLowerCase().replace(/[^\p{L}\p{Nd}]/gu, '_');
}

function isSnake(asked: string | readonly string[] | undefined, param: string): boolean {
  if (asked === undefined) return false;
  if (String(asked).toLowerCase() !== 'snake')
    throw new Problem('invalid_naming', `${param} takes the value snake, or is left out.`, {
      param,
    });
  return true;
}

/** What each key is called; no two the same. */
function snakeNames(keys: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(keys.filter((key) => snakeCase(key) === key));
  const nextNumbers = new Map<string, number>();
  for (const key of keys) {
    const name = snakeCase(key);
    names.set(key, name === key ? key : freeName(name, taken, nextNumbers));
  }
  return names;
}

/** Takes it. Numbers go on where they ended: a registry may send thousands of keys that meet. */
function freeName(name: string, taken: Set<string>, nextNumbers: Map<string, number>): string {
  let free = name;
  let number = nextNumbers.get(name) ?? 2;
  for (; taken.has(free); number++) free = `${name}_${number}`;
  nextNumbers.set(name, number);
  taken.add(free);
  return free;
}
