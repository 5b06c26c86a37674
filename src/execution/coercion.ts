import { GraphQLError, type getArgumentValues } from 'graphql';

/** Variables as coerced by graphql-js. */
export type VariableValues = NonNullable<Parameters<typeof getArgumentValues>[2]>;

/**
 * Returns undefined if coercion fails, for example if a nullable variable with a default is null,
 * but its argument must not be.
 */
export function tryCoerce(
  coerce: () => Record<string, unknown>,
): Readonly<Record<string, unknown>> | undefined {
  try {
    return coerce();
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}
