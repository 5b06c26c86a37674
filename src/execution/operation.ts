import {
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { tryCoerce, type VariableValues } from './coercion.ts';
import { Selection } from './selected-details.ts';
import { fieldsOf, hasDirectives } from './selections.ts';

/** Identifies an operation of a valid document. */
export interface OperationSource {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
}

/** Variables as the client sent them. */
type SentVariables = Readonly<Record<string, unknown>> | null | undefined;

/** A root field that is executed, and its arguments. */
export interface RootField extends SelectedField {
  /** Undefined if they cannot be coerced, which graphql-js reports as an error of the field. */
  readonly args: Readonly<Record<string, unknown>> | undefined;
}

/** The part of a root field that does not depend on its arguments. */
interface SelectedField {
  /** The response key. */
  readonly key: string;
  readonly name: string;
  readonly node: FieldNode;
  readonly selection: Selection;
}

/** An operation whose variables and arguments have been coerced by graphql-js. */
export interface Operation extends OperationSource {
  readonly variableValues: SentVariables;
  readonly definition: OperationDefinitionNode;
  /** Undefined if the variables do not have the declared types; `errors` then has the reasons. */
  readonly variables: VariableValues | undefined;
  readonly errors: readonly GraphQLError[];
  readonly rootFields: readonly RootField[];
}

/** An operation that is executed repeatedly. Computes once what does not depend on variables. */
export class PreparedOperation {
  readonly #source: OperationSource;
  readonly #definition: OperationDefinitionNode;
  readonly #rootType: GraphQLObjectType;
  /** If true, the selected fields may depend on the variables (`@skip`, `@include`). */
  readonly #hasDirectives: boolean;
  #selected: readonly SelectedField[] | undefined;

  constructor(source: OperationSource, definition: OperationDefinitionNode) {
    const rootType = source.schema.getRootType(definition.operation);
    if (!rootType) throw new Error(`The schema has no root type for a ${definition.operation}.`);
    this.#source = source;
    this.#definition = definition;
    this.#rootType = rootType;
    this.#hasDirectives = hasDirectives(source.document);
  }

  /** Coerces the variables of the operation, and the arguments of its root fields. */
  coerce(variableValues: SentVariables): Operation {
    const { schema } = this.#source;
    const definition = this.#definition;
    const coerced = getVariableValues(
      schema,
      definition.variableDefinitions ?? [],
      variableValues ?? {},
      { maxErrors },
    );
    const { variableValues: variables, errors = [] } = coerced;
    const selected = variables ? this.#selectedFields(variables) : [];
    const rootFields = selected.map((field) => ({
      ...field,
      args: this.#argumentsOf(field, variables),
    }));
    return { ...this.#source, variableValues, definition, variables, errors, rootFields };
  }

  #selectedFields(variables: VariableValues): readonly SelectedField[] {
    if (this.#hasDirectives) return this.#select(variables);
    return (this.#selected ??= this.#select());
  }

  #select(variables?: VariableValues): readonly SelectedField[] {
    const { schema, document } = this.#source;
    const scope = { document, ...(variables && { variables }) };
    return fieldsOf(this.#definition.selectionSet, scope).map((node) => ({
      key: (node.alias ?? node.name).value,
      name: node.name.value,
      node,
      selection: new Selection(node, schema, scope),
    }));
  }

  #argumentsOf(
    { name, node }: SelectedField,
    variables: VariableValues | undefined,
  ): RootField['args'] {
    const field = this.#rootType.getFields()[name];
    return field ? tryCoerce(() => getArgumentValues(field, node, variables)) : {};
  }
}

/** Prepares an operation. Returns undefined if the document has no operation of this name. */
export function prepareOperation(source: OperationSource): PreparedOperation | undefined {
  const definition = getOperationAST(source.document, source.operationName);
  return definition ? new PreparedOperation(source, definition) : undefined;
}

/** The default of graphql-js. */
const maxErrors = 50;
