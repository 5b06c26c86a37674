import {
  BREAK,
  getArgumentValues,
  getDirectiveValues,
  GraphQLDeferDirective,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isAbstractType,
  Kind,
  separateOperations,
  visit,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { documentLimits } from './document-limits.ts';
import { getOrInsert } from '../shared/memoize.ts';

/** A valid document and its variables. Without variables, `@skip` and `@include` are ignored. */
export interface SelectionScope {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /**
   * The type of the object. Fragments on types to which it does not belong are ignored; without it,
   * all of them count.
   */
  readonly type?: GraphQLObjectType;
  readonly variables?: VariableValues | undefined;
}

/** Variables as coerced by graphql-js. */
export type VariableValues = NonNullable<Parameters<typeof getArgumentValues>[2]>;

/**
 * Returns the fields of a selection (`CollectFields` of the GraphQL specification). Each fragment is
 * expanded once, as repeating it adds nothing.
 */
export function fieldsOf(
  set: SelectionSetNode | undefined,
  scope: SelectionScope,
  expandedFragments = new Set<string>(),
): readonly FieldNode[] {
  return (set?.selections ?? [])
    .filter((selection) => isIncluded(selection, scope))
    .flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      if (selection.kind === Kind.INLINE_FRAGMENT)
        return fieldsOfFragment(selection, scope, expandedFragments);

      const name = selection.name.value;
      if (expandedFragments.has(name)) return [];

      expandedFragments.add(name);
      const definition = scope.document.definitions
        .filter((each) => each.kind === Kind.FRAGMENT_DEFINITION)
        .find((each) => each.name.value === name);
      return definition ? fieldsOfFragment(definition, scope, expandedFragments) : [];
    });
}

function fieldsOfFragment(
  { typeCondition, selectionSet }: InlineFragmentNode | FragmentDefinitionNode,
  scope: SelectionScope,
  expandedFragments: Set<string>,
): readonly FieldNode[] {
  const { schema, type } = scope;
  const condition = typeCondition && schema.getType(typeCondition.name.value);
  const applies =
    !type ||
    !condition ||
    condition === type ||
    (isAbstractType(condition) && schema.isSubType(condition, type));

  return applies ? fieldsOf(selectionSet, scope, expandedFragments) : [];
}

/** Returns the fields inside others that have the same response key, and so are one field. */
export function fieldsIn(nodes: readonly FieldNode[], scope: SelectionScope): readonly FieldNode[] {
  const expandedFragments = new Set<string>();
  return nodes.flatMap(({ selectionSet }) => fieldsOf(selectionSet, scope, expandedFragments));
}

/** Groups fields by their response keys: those of a group are one field. */
export function byResponseKey(
  fields: readonly FieldNode[],
): ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]> {
  // A group has at least one member.
  return Map.groupBy(fields, responseKeyOf) as Map<string, [FieldNode, ...FieldNode[]]>;
}

/** Objects of different types may have different fields with the same response key. */
function keyAndNameOf(node: FieldNode): string {
  return `${responseKeyOf(node)} ${node.name.value}`;
}

function responseKeyOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** Returns whether an operation contains a `@defer` that is not switched off by `if`. */
export function hasDefer(
  { name }: OperationDefinitionNode,
  { document, variables }: Pick<SelectionScope, 'document' | 'variables'>,
): boolean {
  let isDeferred = false;
  const visitFragment = (node: InlineFragmentNode | FragmentSpreadNode) => {
    const values = variables && getDirectiveValues(GraphQLDeferDirective, node, variables);
    if (values && values['if'] !== false) isDeferred = true;
    return isDeferred ? BREAK : undefined;
  };

  // Excludes the other operations of the document, and fragments that only they use.
  visit(separateOperations(document)[name?.value ?? ''] ?? document, {
    InlineFragment: visitFragment,
    FragmentSpread: visitFragment,
  });

  return isDeferred;
}

export function hasDirectives(document: DocumentNode): boolean {
  let isFound = false;
  visit(document, { Directive: () => ((isFound = true), BREAK) });
  return isFound;
}

/**
 * Returns how often the most repeated field occurs in a response, under different aliases of its
 * own or of the fields that contain it. Stops counting above `documentLimits.repetitions`.
 */
export function countRepetitions(fields: readonly FieldNode[], scope: SelectionScope): number {
  const root: FieldCount = { count: 1, fields: new Map() };
  let highest = 0;

  function count(selected: readonly FieldNode[], parent: FieldCount): void {
    for (const nodes of Map.groupBy(selected, keyAndNameOf).values()) {
      const name = nodes[0]?.name.value ?? '';
      const fieldCount = getOrInsert(parent.fields, name, () => ({ count: 0, fields: new Map() }));
      fieldCount.count += 1;
      highest = Math.max(highest, fieldCount.count);
      if (highest > documentLimits.repetitions) return;

      count(fieldsIn(nodes, scope), fieldCount);
    }
  }

  count(fields, root);
  return highest;
}

/** The number of times that a field occurs, and the same for the fields inside it. */
interface FieldCount {
  count: number;
  readonly fields: Map<string, FieldCount>;
}

function isIncluded(selection: SelectionNode, { variables }: SelectionScope): boolean {
  if (!variables || selection.directives?.length === 0) return true;
  const condition = (directive: typeof GraphQLSkipDirective) =>
    getDirectiveValues(directive, selection, variables)?.['if'];
  return condition(GraphQLSkipDirective) !== true && condition(GraphQLIncludeDirective) !== false;
}

/**
 * Returns the coerced arguments of a field. Throws a `GraphQLError` if coercion fails, for example if
 * a nullable variable with a default is null, but its argument must not be.
 */
export function coercedArguments(
  type: GraphQLObjectType,
  node: FieldNode,
  variables: VariableValues | undefined,
): Readonly<Record<string, unknown>> {
  const field = type.getFields()[node.name.value];
  return field ? getArgumentValues(field, node, variables) : {};
}
