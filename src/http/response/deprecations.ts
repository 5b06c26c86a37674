import { Problem } from '../../domain/problems.ts';

/** An old name for something, which still works. */
export interface Alias {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly name: string;
  /** `body`: at top level and in `options`. */
  readonly location: 'query' | 'body';
  /** What to write in its place. */
  readonly replacement: string;
  /** The `max_age` that it stands for when it is on. */
  readonly maxAge?: number;
  /** The values that are old, where others of the same name are not. */
  readonly values?: RegExp;
}

/** An alias in a request. */
export interface UsedAlias {
  readonly alias: Alias;
  readonly isOn: boolean;
  /** Given more than once where one value is wanted. */
  readonly isRepeated: boolean;
}

/** From when the aliases are deprecated, and until when, at least, they work; in milliseconds since the epoch. */
export const aliasesDeprecatedSince = Date.UTC(2026, 9, 10);
export const aliasesWorkUntil = Date.UTC(2027, 9, 10);

const preferCache = { replacement: 'max_age=2592000', maxAge: 2_592_000 };
const skipCache = { replacement: 'max_age=0', maxAge: 0 };
const nextCursor = { replacement: 'cursor=<next_cursor>' };
const statusAliases = {
  prefer_cache: preferCache,
  skip_cache: skipCache,
  cache_skip: skipCache,
  'cache-skip': skipCache,
};
const skipCachePaths = [
  'tech',
  'categorize',
  'identity-assets',
  'identity-resolution',
  'url-intelligence',
  'agent-readiness',
  'robots',
];

/** Every alias there is. Behaviour, headers, the documentation and its tests are made from this table. */
export const aliases: readonly Alias[] = [
  ...aliasesOf('GET /v1/status', statusAliases),
  ...aliasesOf('POST /v1/status/bulk', statusAliases),
  ...aliasesOf('GET /v1/subdomains', { prefer_cache: preferCache }),
  ...skipCachePaths.flatMap((path) => aliasesOf(`GET /v1/${path}`, { skip_cache: skipCache })),
  ...aliasesOf('GET /v1/ssl/deep-scan', { refresh: skipCache }),
  ...aliasesOf('GET /v1/certificates', {
    cursor: { ...nextCursor, values: /^\s*[+-]?\d+(?:\.\d+)?\s*$/ },
  }),
  ...aliasesOf('GET /v1/email/blacklist', { offset: nextCursor }),
];

/** The aliases in a request, whatever it is worth otherwise: `body` is anything that was read as JSON. Never throws. */
export function findUsedAliases(
  path: string,
  query: URLSearchParams,
  body?: unknown,
): readonly UsedAlias[] {
  return (aliasesByPath.get(path) ?? []).flatMap((alias) => {
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
 * The oldest answer that will do for a request with such aliases: `max_age`, where it is given, wins over them all, and asking the registry
 * over preferring what is stored. Throws `invalid_parameter` for an alias that is repeated, as a repeated `max_age` is.
 */
export function maxAgeFrom(
  maxAge: number | undefined,
  used: readonly UsedAlias[],
): number | undefined {
  const repeated = used.find((usedAlias) => usedAlias.isRepeated)?.alias.name;
  if (repeated !== undefined) {
    throw new Problem('invalid_parameter', `${repeated} is given more than once; give it once.`, {
      param: repeated,
    });
  }
  const ages = used.flatMap(({ isOn, alias }) =>
    isOn && alias.maxAge !== undefined ? [alias.maxAge] : [],
  );
  return maxAge ?? (ages.length > 0 ? Math.min(...ages) : undefined);
}

/** What every answer to a request with an alias carries (RFC 9745, RFC 8594). */
export function deprecationHeaders(
  docsUrl: string,
): Record<'deprecation' | 'sunset' | 'link', string> {
  return {
    deprecation: `@${aliasesDeprecatedSince / 1000}`,
    sunset: new Date(aliasesWorkUntil).toUTCString(),
    link: `<${docsUrl}/versioning#deprecated-aliases>; rel="deprecation"; type="text/html"`,
  };
}

const aliasesByPath = Map.groupBy(aliases, ({ path }) => path);

function aliasesOf(
  route: `${Alias['method']} ${string}`,
  names: Record<string, Pick<Alias, 'replacement' | 'maxAge' | 'values'>>,
): Alias[] {
  const [method, path = ''] = route.split(' ');
  const target =
    method === 'POST'
      ? ({ method, location: 'body' } as const)
      : ({ method: 'GET', location: 'query' } as const);
  return Object.entries(names).map(([name, definition]) => ({
    ...target,
    path,
    name,
    ...definition,
  }));
}

/** The value that counts, where there is one: `options` win, and null is no value. */
function valuesIn(body: unknown, name: string): readonly unknown[] {
  const value = memberOf(memberOf(body, 'options'), name) ?? memberOf(body, name);
  return value === undefined || value === null ? [] : [value];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** `False` is how Python writes it. */
function isOff(value: unknown): boolean {
  return (
    ['boolean', 'number', 'string'].includes(typeof value) &&
    /^(?:false|0|no|off)$/i.test(String(value).trim())
  );
}
