import { aliases, aliasesWorkUntil, type Alias } from '../../src/http/response/deprecations.ts';
import type { JsonObject } from '../../src/domain/registration.ts';
import type { Properties } from './json-schema.ts';

/** Whether answers of a path may carry the headers of a deprecation. */
export function hasAliases(path: string): boolean {
  return aliases.some((alias) => alias.path === path);
}

/** The aliases of a path that stand in its query. */
export function aliasParameters(path: string): readonly JsonObject[] {
  return aliasesOf(path, 'query').map((alias) => ({
    name: alias.name,
    in: 'query',
    // Where only some values are old, the parameter itself is not.
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

/** Leaves `cache-skip` out: generators call it `cacheSkip`, as they call `cache_skip`, and such a duplicate does not compile. */
function aliasesOf(path: string, location: Alias['location']): readonly Alias[] {
  return aliases.filter(
    (alias) => alias.path === path && alias.location === location && !alias.name.includes('-'),
  );
}

function descriptionOf({ values, replacement }: Alias): string {
  const prefix = values ? 'A number here is deprecated' : 'Deprecated';
  return `${prefix}: use \`${replacement}\`. The old form works until ${new Date(aliasesWorkUntil).toISOString().slice(0, 10)} at least.`;
}
