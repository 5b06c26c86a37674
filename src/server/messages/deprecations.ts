import { invalidParameter } from '../../domain/problems.ts';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { atMost } from '../../shared/lru.ts';

/** A deprecated name for a parameter, which still works. */
export interface Alias {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly name: string;
  /** `body`: at the top level and in `options`. */
  readonly location: 'query' | 'body';
  readonly replacement: string;
  /** The `max_age` that it is equivalent to when it is on. */
  readonly maxAge?: number;
  /** The deprecated values, if the parameter also has values that are not deprecated. */
  readonly values?: RegExp;
}

export interface UsedAlias {
  readonly alias: Alias;
  readonly isOn: boolean;
  /** Sent more than once. */
  readonly isRepeated: boolean;
}

/** When the aliases were deprecated, in milliseconds since the epoch. */
export const aliasesDeprecatedSince = Date.UTC(2026, 9, 10);
/** The earliest time at which aliases may stop working, in milliseconds since the epoch. */
export const aliasesWorkUntil = Date.UTC(2027, 9, 10);

export type AliasMeaning = Pick<Alias, 'replacement' | 'maxAge' | 'values'>;

export const preferCache: AliasMeaning = { replacement: 'max_age=2592000', maxAge: 2_592_000 };
export const skipCache: AliasMeaning = { replacement: 'max_age=0', maxAge: 0 };
export const nextCursor: AliasMeaning = { replacement: 'cursor=<next_cursor>' };

/** Returns the aliases in a request, valid or not: `body` is any parsed JSON. Never throws. */
export function findUsedAliases(
  aliases: readonly Alias[],
  query: URLSearchParams,
  body?: unknown,
): readonly UsedAlias[] {
  return aliases.flatMap((alias) => {
    if (alias.location === 'query' && !query.has(alias.name)) return [];

    const values =
      alias.location === 'query' ? query.getAll(alias.name) : valuesIn(body, alias.name);
    const used = alias.values
      ? values.some((value) => alias.values?.test(String(value)))
      : values.length > 0;

    return used ? [{ alias, isOn: !isOff(values[0]), isRepeated: values.length > 1 }] : [];
  });
}

/**
 * Returns the maximum age for a request with aliases, in seconds. `max_age` takes precedence over
 * all of them, and skipping the cache over preferring it. Throws `invalid_parameter` for an alias
 * that is repeated.
 */
export function maxAgeFrom(
  maxAge: number | undefined,
  used: readonly UsedAlias[],
): number | undefined {
  const repeated = used.find((usedAlias) => usedAlias.isRepeated)?.alias.name;
  if (repeated !== undefined) {
    throw invalidParameter(repeated, `${repeated} is repeated. Send it once.`);
  }

  const ages = used.flatMap(({ isOn, alias }) =>
    isOn && alias.maxAge !== undefined ? [alias.maxAge] : [],
  );

  return maxAge ?? (ages.length > 0 ? Math.min(...ages) : undefined);
}

/** Returns the headers of every response to a request with an alias (RFC 9745, RFC 8594). */
export function deprecationHeaders(
  docsUrl: string,
): Record<'deprecation' | 'sunset' | 'link', string> {
  return {
    deprecation: `@${aliasesDeprecatedSince / 1000}`,
    sunset: new Date(aliasesWorkUntil).toUTCString(),
    link: `<${docsUrl}/versioning#deprecated-aliases>; rel="deprecation"; type="text/html"`,
  };
}

/** Returns the effective value, if any: `options` takes precedence, and null counts as absent. */
function valuesIn(body: unknown, name: string): readonly unknown[] {
  const value = memberOf(memberOf(body, 'options'), name) ?? memberOf(body, name);
  return value === undefined || value === null ? [] : [value];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** Any letter case counts: Python serializes `False`. */
function isOff(value: unknown): boolean {
  return (
    ['boolean', 'number', 'string'].includes(typeof value) &&
    /^(?:false|0|no|off)$/i.test(String(value).trim())
  );
}

const logIntervalMs = 60 * 60 * 1000;
const maxCallers = 10_000;

/** Called with the deprecated aliases of a request, and its caller. */
export type CountAliases = (usedAliases: readonly UsedAlias[], caller: string) => void;

/**
 * Counts uses of deprecated aliases with `onUse`, and logs each alias of a caller, at most once an
 * hour.
 */
export function aliasCounter(
  clock: Clock,
  log: Log,
  onUse: (path: string, alias: string) => void,
): CountAliases {
  const loggedAt = new LRUCache<string, number>(atMost(maxCallers));
  return (usedAliases, caller) => {
    for (const { alias } of usedAliases) {
      const { path, name } = alias;
      onUse(path, name);
      const key = JSON.stringify([path, name, caller]);
      if (clock.now() < (loggedAt.get(key) ?? -Infinity) + logIntervalMs) continue;

      loggedAt.set(key, clock.now());
      log.info(
        { path, alias: name, caller },
        'Deprecated alias used. See /docs/versioning for the replacement.',
      );
    }
  };
}
