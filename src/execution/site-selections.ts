import { getArgumentValues, type FieldNode, type GraphQLObjectType } from 'graphql';
import { tlsProfileOf } from '../sites/tls/tls-scan.ts';
import { isSiteLookup } from '../sites/lookups.ts';
import type { SelectedSiteLookup } from '../sites/site-plan.ts';
import { tryCoerce, type VariableValues } from './coercion.ts';

interface SiteArguments {
  readonly maxAge?: number | null;
  readonly profile?: string;
}

/** Returns the site lookups among the fields that are selected on a type. */
export function siteLookupsAmong(
  fields: readonly FieldNode[],
  type: GraphQLObjectType,
  variables: VariableValues | undefined,
): readonly SelectedSiteLookup[] {
  return fields.flatMap((node) => {
    const lookup = node.name.value;
    if (!isSiteLookup(lookup)) return [];
    const field = type.getFields()[lookup];
    // Arguments that cannot be coerced are reported as an error of the field.
    const args = field && tryCoerce(() => getArgumentValues(field, node, variables));
    if (!args) return [];
    const { maxAge, profile } = args as SiteArguments;
    return [
      {
        lookup,
        maxAge: maxAge ?? undefined,
        ...(profile !== undefined && { profile: tlsProfileOf(profile) }),
      },
    ];
  });
}
