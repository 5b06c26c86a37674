import {
  getNamedType,
  getOperationAST,
  getVariableValues,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { Problem } from '../domain/problems.ts';
import { factsOf, type FieldFacts } from './field-facts.ts';
import { prepareRoot, type PreparedObject } from './prepared-fields.ts';
import { Selection } from './selected-details.ts';
import {
  byResponseKey,
  coercedArguments,
  fieldsOf,
  hasDefer,
  hasDirectives,
  type SelectionScope,
  type VariableValues,
} from './selections.ts';

/**
 * Two variants of the schema, because graphql-js executes a schema with `@defer` only incrementally.
 * Clients see `full`, which has `@defer`.
 */
export interface Schemas {
  readonly base: GraphQLSchema;
  readonly full: GraphQLSchema;
}

/** Returns the schemas of a router's documents, whose types have other names; undefined for others. */
export type RouterSchemas = (document: DocumentNode, isRouter: boolean) => Schemas | undefined;

/** How a result is delivered: in one piece, in parts (`@defer`), or as events (subscriptions). */
export type DeliveryMode = 'buffered' | 'deferred' | 'subscription';

/** Identifies an operation of a valid document. */
export interface OperationSource {
  readonly schema: GraphQLSchema;
  /** The variant of the schema that resolvers see, if it is another one. */
  readonly visibleSchema?: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  /** Whether a client has sent the document. */
  readonly isSent?: boolean;
}

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
  /** The type of its value or of the items of its list; undefined for `__schema` and the like. */
  readonly type: GraphQLNamedType | undefined;
  readonly facts: FieldFacts;
  /** The first of the nodes with this key, which have the same arguments. */
  readonly node: FieldNode;
  readonly selection: Selection;
}

/** An operation whose variables and arguments have been coerced by graphql-js. */
export interface Operation extends OperationSource {
  readonly delivery: DeliveryMode;
  readonly variableValues: SentVariables;
  readonly definition: OperationDefinitionNode;
  /** Undefined if the variables do not have the declared types; `errors` then has the reasons. */
  readonly variables: VariableValues | undefined;
  readonly errors: readonly GraphQLError[];
  readonly rootFields: readonly RootField[];
  /** Returns what is executed. */
  readonly prepared: () => PreparedObject;
  /** Returns the fragments of the document, for resolvers. */
  readonly fragments: () => Fragments;
}

type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** An operation that is executed repeatedly. Computes once what does not depend on variables. */
export class PreparedOperation {
  readonly #source: OperationSource;
  readonly #definition: OperationDefinitionNode;
  readonly #rootType: GraphQLObjectType;
  /** If true, the selected fields may depend on the variables (`@skip`, `@include`). */
  readonly #hasDirectives: boolean;
  #selected: readonly SelectedField[] | undefined;
  #prepared: PreparedObject | undefined;
  #fragments: Fragments | undefined;

  /** Throws `invalid_query` if the document has no such operation. */
  constructor(source: OperationSource) {
    const definition = definitionIn(source.document, source.operationName);
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
    const delivery = this.#deliveryWith(variables);

    return {
      ...this.#source,
      delivery,
      variableValues,
      definition,
      variables,
      errors,
      rootFields,
      prepared: () => this.#preparedFields(variables),
      fragments: () => (this.#fragments ??= fragmentsOf(this.#source.document)),
    };
  }

  #argumentsOf({ node }: SelectedField, variables: VariableValues | undefined): RootField['args'] {
    try {
      return coercedArguments(this.#rootType, node, variables);
    } catch (error) {
      if (error instanceof GraphQLError) return undefined;
      throw error;
    }
  }

  #deliveryWith(variables: VariableValues | undefined): DeliveryMode {
    if (this.#definition.operation === 'subscription') return 'subscription';
    const { document } = this.#source;
    const isDeferred =
      this.#hasDirectives && variables && hasDefer(this.#definition, { document, variables });
    return isDeferred ? 'deferred' : 'buffered';
  }

  #preparedFields(variables: VariableValues | undefined): PreparedObject {
    const { schema, document } = this.#source;
    const prepare = (scope: Pick<SelectionScope, 'variables'> = {}) =>
      prepareRoot(this.#rootType, this.#definition.selectionSet, { schema, document, ...scope });
    return this.#hasDirectives ? prepare({ variables }) : (this.#prepared ??= prepare());
  }

  #selectedFields(variables: VariableValues): readonly SelectedField[] {
    if (this.#hasDirectives) return this.#select(variables);
    return (this.#selected ??= this.#select());
  }

  #select(variables?: VariableValues): readonly SelectedField[] {
    const { schema, document } = this.#source;
    const scope = { schema, document, variables };
    const fields = fieldsOf(this.#definition.selectionSet, { ...scope, type: this.#rootType });

    return Array.from(byResponseKey(fields), ([key, nodes]) => {
      const name = nodes[0].name.value;
      const field = this.#rootType.getFields()[name];
      return {
        key,
        name,
        type: field && getNamedType(field.type),
        facts: factsOf(field),
        node: nodes[0],
        selection: new Selection(nodes, scope),
      };
    });
  }
}

function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  return Object.fromEntries(fragments.map((each) => [each.name.value, each]));
}

/** Returns an operation of a document. Throws `invalid_query`. */
export function definitionIn(
  document: DocumentNode,
  operationName: string | null | undefined,
): OperationDefinitionNode {
  const definition = getOperationAST(document, operationName);
  if (definition) return definition;
  const detail = 'operationName must name one of the operations of the query.';
  throw new Problem('invalid_query', detail, { param: 'operationName' });
}

/**
 * Returns how often the root field with most repetitions selects the same field. A deferred fragment
 * takes as long as several fields.
 */
export function repetitionsIn({ rootFields, delivery }: Operation): number {
  const counts = rootFields.map(({ selection }) => selection.repetitions());
  return Math.max(1, ...counts) * (delivery === 'deferred' ? 4 : 1);
}

/** The default of graphql-js. */
const maxErrors = 50;
