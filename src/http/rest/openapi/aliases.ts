import { aliases, aliasesWorkUntil, type Alias } from '../../messages/deprecations.ts';
import type { JsonObject } from '../../../domain/registration.ts';
import type { Properties } from '../shape.ts';

/** Returns whether responses of a path may carry the deprecation headers. */
export function hasAliases(path: string): boolean {
  return aliases.some((alias) => alias.path === path);
}

/** Returns the aliases of a path that are query parameters. */
export function aliasParameters(path: string): readonly JsonObject[] {
  return aliasesOf(path, 'query').map((alias) => ({
    name: alias.name,
    in: 'query',
    // If only some values are deprecated, the parameter itself is not.
    deprecated: alias.values === undefined,
    description: descriptionOf(alias),
    schema: { type: 'string' },
    allowEmptyValue: true,
  }));
}

/** Returns the aliases of a path that are members of its body; they accept any value. */
export function aliasMembers(path: string): Properties {
  return Object.fromEntries(
    aliasesOf(path, 'body').map((alias) => [
      alias.name,
      { deprecated: true, description: descriptionOf(alias) },
    ]),
  );
}

/**
 * Returns the aliases of a path in one location, without `cache-skip`: generators turn both it and
 * `cache_skip` into `cacheSkip`, and the duplicate does not compile.
 */
function aliasesOf(path: string, location: Alias['location']): readonly Alias[] {
  return aliases.filter(
    (alias) => alias.path === path && alias.location === location && !alias.name.includes('-'),
  );
}

function descriptionOf({ values, replacement }: Alias): string {
  const prefix = values ? 'A numeric value is deprecated' : 'Deprecated';
  return `${prefix}: use \`${replacement}\`. It will work until at least ${new Date(aliasesWorkUntil).toISOString().slice(0, 10)}.`;
}
