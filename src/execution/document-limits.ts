import {
  GraphQLError,
  Kind,
  visit,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { Problem } from '../domain/problems.ts';

/**
 * The size limits of documents. `repetitions`: how often the same field may be selected under
 * different aliases, which multiply over several levels; the limit is what the aliases allow on one
 * level. `records`: how many records the lists of an operation may return, repetitions included;
 * more if `MAX_LOOKUPS` is larger.
 */
export const documentLimits = {
  tokens: 2000,
  depth: 12,
  rootFields: 50,
  aliases: 50,
  directives: 50,
  deferred: 10,
  introspection: 1,
  repetitions: 51,
  records: 2000,
} as const;

/** Returns the error of a document that exceeds a limit. Visits each fragment once. */
export function sizeError(document: DocumentNode): GraphQLError | undefined {
  const sizes = measureDocument(document);
  const exceeded = (Object.keys(sizes) as (keyof typeof sizes)[]).find(
    (size) => sizes[size] > documentLimits[size],
  );
  if (!exceeded) return undefined;

  return queryTooLargeError(
    `The document has more than ${documentLimits[exceeded]} ${sizeLabels[exceeded]}. Split it.`,
  );
}

/** Returns a GraphQL error with the code `query_too_large`. */
export function queryTooLargeError(detail: string): GraphQLError {
  return new GraphQLError(detail, { originalError: new Problem('query_too_large', detail) });
}

const sizeLabels = {
  depth: 'levels',
  rootFields: 'root fields',
  aliases: 'aliases',
  directives: 'directives',
  deferred: 'deferred fragments',
  introspection: 'introspection field',
};

type Sizes = Record<keyof typeof sizeLabels, number>;

function measureDocument(document: DocumentNode): Sizes {
  const fragments = fragmentsOf(document);
  const sizes = Object.fromEntries(Object.keys(sizeLabels).map((size) => [size, 0])) as Sizes;
  visit(document, {
    Field: ({ alias }) => void (sizes.aliases += alias ? 1 : 0),
    Directive({ name }) {
      sizes.directives += 1;
      sizes.deferred += name.value === 'defer' ? 1 : 0;
    },
  });

  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const size = measureSelection(definition.selectionSet, fragments, new Map());
    sizes.depth = Math.max(sizes.depth, size.depth);
    sizes.rootFields += size.fields;
    sizes.introspection = Math.max(sizes.introspection, size.introspection);
  }

  return sizes;
}

function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter(
    (definition) => definition.kind === Kind.FRAGMENT_DEFINITION,
  );
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

interface SelectionSize {
  /** Levels of fields, without introspection: tools query the schema in one deep document. */
  readonly depth: number;
  /** Fields at the top level, with fragments expanded. */
  readonly fields: number;
  /** Introspection fields among them, which take far longer than other fields. */
  readonly introspection: number;
}

const emptySelection: SelectionSize = { depth: 0, fields: 0, introspection: 0 };

function measureSelection(
  set: SelectionSetNode | undefined,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  measured: Map<string, SelectionSize>,
): SelectionSize {
  let depth = 0;
  let fields = 0;
  let introspection = 0;
  for (const selection of set?.selections ?? []) {
    if (selection.kind === Kind.FIELD) {
      fields += 1;
      if (isIntrospectionField(selection)) introspection += 1;
      const inner = selection.name.value.startsWith('__')
        ? emptySelection
        : measureSelection(selection.selectionSet, fragments, measured);
      depth = Math.max(depth, 1 + inner.depth);
      continue;
    }

    const inner =
      selection.kind === Kind.INLINE_FRAGMENT
        ? measureSelection(selection.selectionSet, fragments, measured)
        : measureFragment(selection.name.value, fragments, measured);
    depth = Math.max(depth, inner.depth);
    fields += inner.fields;
    introspection += inner.introspection;
  }

  return { depth, fields, introspection };
}

/** Returns whether a field queries the schema. */
export function isIntrospectionField({ name }: FieldNode): boolean {
  return name.value === '__schema' || name.value === '__type' || name.value === '_service';
}

function measureFragment(
  name: string,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  measured: Map<string, SelectionSize>,
): SelectionSize {
  const previous = measured.get(name);
  if (previous) return previous;
  measured.set(name, emptySelection); // in case it contains itself, which validation rejects
  const size = measureSelection(fragments.get(name)?.selectionSet, fragments, measured);
  measured.set(name, size);
  return size;
}
