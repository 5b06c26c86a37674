import { aliasesWorkUntil, type Alias } from '../../messages/deprecations.ts';
import type { JsonObject } from '../../../domain/registration.ts';
import type { Properties } from '../shape.ts';

/** Returns the aliases that are query parameters. */
export function aliasParameters(aliases: readonly Alias[]): readonly JsonObject[] {
  return described(aliases, 'query').map((alias) => ({
    name: alias.name,
    in: 'query',
    // If only some values are deprecated, the parameter itself is not.
    deprecated: alias.values === undefined,
    description: descriptionOf(alias),
    schema: { type: 'string' },
    allowEmptyValue: true,
  }));
}

/** Returns the aliases that are members of the body; they accept any value. */
export function aliasMembers(aliases: readonly Alias[]): Properties {
  return Object.fromEntries(
    described(aliases, 'body').map((alias) => [
      alias.name,
      { deprecated: true, description: descriptionOf(alias) },
    ]),
  );
}

/**
 * Returns the aliases in one location, without `cache-skip`: generators turn both it and
 * `cache_skip` into `cacheSkip`, and the duplicate does not compile.
 */
function described(aliases: readonly Alias[], location: Alias['location']): readonly Alias[] {
  return aliases.filter((alias) => alias.location === location && !alias.name.includes('-'));
}

function descriptionOf({ values, replacement }: Alias): string {
  const prefix = values ? 'A numeric value is deprecated' : 'Deprecated';
  return `${prefix}: use \`${replacement}\`. It will work until at least ${new Date(aliasesWorkUntil).toISOString().slice(0, 10)}.`;
}
