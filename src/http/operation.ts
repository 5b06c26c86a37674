import {
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql';

export interface Operation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  /** As the client sent them. */
  readonly variableValues?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Variables as graphql coerces them. */
export type VariableValues = NonNullable<Parameters<typeof getArgumentValues>[2]>;

/** The variables of an operation and the arguments of its fields, coerced, and each of them once. */
export interface Values {
  readonly variables: VariableValues;
  /** The same object for the same node, whoever asks. Throws what graphql throws. */
  argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Record<string, unknown>;
}

/** Undefined when graphql will refuse the variables. */
export function valuesOf({ schema, document, operationName, variableValues }: Operation): Values | undefined {
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  const { variableValues: variables } = getVariableValues(schema, definitions, variableValues ?? {});
  if (!variables) return undefined;
  const read = new Map<FieldNode, Record<string, unknown>>();
  return {
    variables,
    argumentsOf(field, node) {
      const args = read.get(node) ?? getArgumentValues(field, node, variables);
      read.set(node, args);
      return args;
    },
  };
}
