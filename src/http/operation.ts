import {
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { fieldsOf } from './selections.ts';

/** What a client sent, or what the gateway has saved. */
export interface OperationArgs {
  readonly schema: GraphQLSchema;
  /** A valid document. */
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  /** As the client sent them. */
  readonly variableValues?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Variables as graphql-js coerces them. */
export type VariableValues = NonNullable<Parameters<typeof getArgumentValues>[2]>;

/** A root field that is executed, and its arguments. */
export interface RootField {
  /** The response key. */
  readonly key: string;
  readonly name: string;
  readonly node: FieldNode;
  /** Undefined if they cannot be coerced, which graphql-js reports as an error of the field. */
  readonly args: Readonly<Record<string, unknown>> | undefined;
}

/** An operation whose variables and arguments were coerced once, as graphql-js does it. */
export interface Operation extends OperationArgs {
  readonly definition: OperationDefinitionNode;
  /** Undefined if the client's variables are not of the types of the operation: then `errors` says why, and nothing is executed. */
  readonly variables: VariableValues | undefined;
  readonly errors: readonly GraphQLError[];
  readonly rootFields: readonly RootField[];
}

/** Coerces the variables of an operation. Returns undefined if the document has no operation of this name. */
export function readOperation(args: OperationArgs): Operation | undefined {
  const { schema, document, operationName, variableValues } = args;
  const definition = getOperationAST(document, operationName);
  const root = definition && schema.getRootType(definition.operation);
  if (!definition || !root) return undefined;
  const coerced = getVariableValues(schema, definition.variableDefinitions ?? [], variableValues ?? {}, { maxErrors });
  const { variableValues: variables, errors = [] } = coerced;
  const nodes = variables ? fieldsOf(definition.selectionSet, { document, variables }) : [];
  const rootFields = nodes.map((node) => rootFieldOf(node, root, variables));
  return { ...args, definition, variables, errors, rootFields };
}

/** As in graphql-js. */
const maxErrors = 50;

function rootFieldOf(node: FieldNode, root: GraphQLObjectType, variables: VariableValues | undefined): RootField {
  const name = node.name.value;
  const field = root.getFields()[name];
  return {
    key: (node.alias ?? node.name).value,
    name,
    node,
    args: field ? argumentsOf(() => getArgumentValues(field, node, variables)) : {},
  };
}

/** A nullable variable with a default can be null where an argument must not be. */
function argumentsOf(coerce: () => Record<string, unknown>): RootField['args'] {
  try {
    return coerce();
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}
