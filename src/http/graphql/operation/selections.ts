import {
  BREAK,
  getDirectiveValues,
  GraphQLDeferDirective,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  separateOperations,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLObjectType,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { limits } from './limits.ts';

/** A valid document, and its variables: without them, what `@skip` and `@include` may leave out counts too. */
export interface Selecting {
  readonly document: DocumentNode;
  /** The type of the object that is selected from: fragments on types that it is not of add nothing. Without it, they all count. */
  readonly type?: GraphQLObjectType;
  readonly variables?: Parameters<typeof getDirectiveValues>[2];
}

/** The fields that a selection comes to, each fragment unfolded once: repeated, it would add nothing. */
export function fieldsOf(
  set: SelectionSetNode | undefined,
  selecting: Selecting,
  unfolded = new Set<string>(),
): readonly FieldNode[] {
  return (set?.selections ?? [])
    .filter((selection) => isIncluded(selection, selecting))
    .flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      if (selection.kind === Kind.INLINE_FRAGMENT)
        return fieldsOfFragment(selection, selecting, unfolded);
      const name = selection.name.value;
      if (unfolded.has(name)) return [];
      unfolded.add(name);
      const found = fragment(name, selecting);
      return found ? fieldsOfFragment(found, selecting, unfolded) : [];
    });
}

function fieldsOfFragment(
  { typeCondition, selectionSet }: InlineFragmentNode | FragmentDefinitionNode,
  selecting: Selecting,
  unfolded: Set<string>,
): readonly FieldNode[] {
  const { type } = selecting;
  const applies =
    !type ||
    !typeCondition ||
    [type, ...type.getInterfaces()].some(({ name }) => name === typeCondition.name.value);
  return applies ? fieldsOf(selectionSet, selecting, unfolded) : [];
}

/** Returns whether the rows of a query are sent one by one: with `@defer` that is not switched off. */
export function hasDefer(
  { name }: OperationDefinitionNode,
  { document, variables }: Selecting,
): boolean {
  let isDeferred = false;
  const look = (node: InlineFragmentNode | FragmentSpreadNode) => {
    const values = variables && getDirectiveValues(GraphQLDeferDirective, node, variables);
    if (values && values['if'] !== false) isDeferred = true;
    return isDeferred ? BREAK : undefined;
  };
  // Not what is in the document's other operations, and in fragments that only they use.
  visit(separateOperations(document)[name?.value ?? ''] ?? document, {
    InlineFragment: look,
    FragmentSpread: look,
  });
  return isDeferred;
}

/** Whether there is a directive anywhere in it. */
export function hasDirectives(document: DocumentNode): boolean {
  let found = false;
  visit(document, { Directive: () => ((found = true), BREAK) });
  return found;
}

/**
 * How often the field that is repeated most stands in one answer, under different aliases of its own or of what it stands in. Counts no
 * further than it takes to know that this is more than `limits.copies`.
 */
export function mostCopies(fields: readonly FieldNode[], selecting: Selecting): number {
  const known: Counted = { copies: 1, fields: new Map() };
  let most = 0;

  function count(selected: readonly FieldNode[], within: Counted): void {
    for (const nodes of Map.groupBy(
      selected,
      ({ alias, name }) => (alias ?? name).value,
    ).values()) {
      const name = nodes[0]?.name.value ?? '';
      const counted = within.fields.get(name) ?? { copies: 0, fields: new Map() };
      within.fields.set(name, counted);
      counted.copies += 1;
      most = Math.max(most, counted.copies);
      if (most > limits.copies) return;
      const unfolded = new Set<string>();
      count(
        nodes.flatMap(({ selectionSet }) => fieldsOf(selectionSet, selecting, unfolded)),
        counted,
      );
    }
  }

  count(fields, known);
  return most;
}

/** A field, by its name and the names of those that it stands in. */
interface Counted {
  copies: number;
  readonly fields: Map<string, Counted>;
}

function fragment(name: string, { document }: Selecting): FragmentDefinitionNode | undefined {
  return document.definitions
    .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
    .find((definition) => definition.name.value === name);
}

function isIncluded(selection: SelectionNode, { variables }: Selecting): boolean {
  if (!variables || selection.directives?.length === 0) return true;
  const condition = (directive: typeof GraphQLSkipDirective) =>
    getDirectiveValues(directive, selection, variables)?.['if'];
  return condition(GraphQLSkipDirective) !== true && condition(GraphQLIncludeDirective) !== false;
}
