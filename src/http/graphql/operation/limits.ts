import {
  GraphQLError,
  Kind,
  visit,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { Problem } from '../../../domain/problems.ts';

/**
 * How large a document may be. `copies`: how often the same field may be asked for under different names, of which aliases on several levels
 * make many; as often as the aliases allow on one level. `records`: of how many names in lists, alike; more where more names may be asked for.
 */
export const limits = {
  tokens: 2000,
  depth: 12,
  rootFields: 50,
  aliases: 50,
  directives: 50,
  deferred: 10,
  introspection: 1,
  copies: 51,
  records: 2000,
} as const;

/** Why a document is refused before it is validated, or undefined. Looks at each node once, whatever fragments repeat. */
export function tooLarge(document: DocumentNode): GraphQLError | undefined {
  const sizes = measure(document);
  const excess = (Object.keys(sizes) as (keyof typeof sizes)[]).find(
    (size) => sizes[size] > limits[size],
  );
  if (!excess) return undefined;
  return problemError(`The document has more than ${limits[excess]} ${words[excess]}; split it.`);
}

/** An error of the kind `query_too_large`. */
export function problemError(detail: string): GraphQLError {
  return new GraphQLError(detail, { originalError: new Problem('query_too_large', detail) });
}

const words = {
  depth: 'levels',
  rootFields: 'root fields',
  aliases: 'aliases',
  directives: 'directives',
  deferred: 'deferred fragments',
  introspection: 'introspection field',
};

type Sizes = Record<keyof typeof words, number>;

function measure(document: DocumentNode): Sizes {
  const fragments = fragmentsOf(document);
  const sizes: Sizes = {
    depth: 0,
    rootFields: 0,
    aliases: 0,
    directives: 0,
    deferred: 0,
    introspection: 0,
  };
  visit(document, {
    Field: ({ alias }) => void (sizes.aliases += alias ? 1 : 0),
    Directive({ name }) {
      sizes.directives += 1;
      sizes.deferred += name.value === 'defer' ? 1 : 0;
    },
  });
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const shape = shapeOf(definition.selectionSet, fragments, new Map());
    sizes.depth = Math.max(sizes.depth, shape.depth);
    sizes.rootFields += shape.fields;
    sizes.introspection = Math.max(sizes.introspection, shape.introspection);
  }
  return sizes;
}

function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter(
    (definition) => definition.kind === Kind.FRAGMENT_DEFINITION,
  );
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

interface Shape {
  /** Levels of fields, introspection aside: tools ask for the schema in one deep document. */
  readonly depth: number;
  /** Fields at the top, fragments unfolded. */
  readonly fields: number;
  /** Those of them that ask for the schema, which takes far longer than other fields. */
  readonly introspection: number;
}

const nothing: Shape = { depth: 0, fields: 0, introspection: 0 };

function shapeOf(
  set: SelectionSetNode | undefined,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  known: Map<string, Shape>,
): Shape {
  let depth = 0;
  let fields = 0;
  let introspection = 0;
  for (const selection of set?.selections ?? []) {
    if (selection.kind === Kind.FIELD) {
      fields += 1;
      if (asksForSchema(selection)) introspection += 1;
      const inner = selection.name.value.startsWith('__')
        ? nothing
        : shapeOf(selection.selectionSet, fragments, known);
      depth = Math.max(depth, 1 + inner.depth);
      continue;
    }
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT
        ? shapeOf(selection.selectionSet, fragments, known)
        : shapeOfFragment(selection.name.value, fragments, known);
    depth = Math.max(depth, inner.depth);
    fields += inner.fields;
    introspection += inner.introspection;
  }
  return { depth, fields, introspection };
}

/** Returns how many fields the operations of a document select, each fragment expanded wherever it is used; stops counting beyond `max`. */
export function expandedFields(document: DocumentNode, max: number): number {
  const fragments = fragmentsOf(document);
  let count = 0;
  function expand(set: SelectionSetNode | undefined): void {
    for (const selection of set?.selections ?? []) {
      if (count > max) return;
      count += 1;
      expand(
        selection.kind === Kind.FRAGMENT_SPREAD
          ? fragments.get(selection.name.value)?.selectionSet
          : selection.selectionSet,
      );
    }
  }
  for (const definition of document.definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION) expand(definition.selectionSet);
  return count;
}

export function asksForSchema({ name }: FieldNode): boolean {
  return name.value === '__schema' || name.value === '__type';
}

function shapeOfFragment(
  name: string,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  known: Map<string, Shape>,
): Shape {
  const shape = known.get(name);
  if (shape) return shape;
  known.set(name, nothing); // a fragment within itself: validation refuses it
  const found = shapeOf(fragments.get(name)?.selectionSet, fragments, known);
  known.set(name, found);
  return found;
}
