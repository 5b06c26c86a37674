import {
  BREAK,
  getArgumentValues,
  getDirectiveValues,
  getOperationAST,
  getVariableValues,
  GraphQLDeferDirective,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  separateOperations,
  visit,
  type DocumentNode,
  type FieldNode,
  type FragmentSpreadNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { askedName, askedNames, type Asked, type Search, type SingleName } from '../domain/asked.ts';
import type { Wish } from '../lookup/wish.ts';
import { Problem } from '../problems.ts';

type VariableValues = NonNullable<Parameters<typeof getArgumentValues>[2]>;

export interface Operation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  /** As the client sent them. */
  readonly variableValues?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * What an operation will look up, from its root fields, `@skip` and `@include`, and its coerced variables: known before anything runs.
 * Arguments that execution will refuse wish for nothing. Throws `too_many_lookups` before reading more than `mostEntries` entries of lists.
 */
export function wishesOf({ schema, document, operationName, variableValues }: Operation, mostEntries = Infinity): readonly Wish[] {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return [];
  const { variableValues: variables } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
  if (!variables) return [];
  const reader: Reader = { document, variables, entriesLeft: mostEntries };
  return fieldsOf(operation.selectionSet, reader).flatMap((field) => wishOf(field, root, reader) ?? []);
}

/** Whether the rows of an operation come one by one: a subscription, or `@defer` that is not switched off. */
export function isStreamed({ schema, document, operationName, variableValues }: Operation): boolean {
  const operation = getOperationAST(document, operationName);
  if (!operation || operation.operation === 'subscription') return operation !== undefined && operation !== null;
  const { variableValues: variables } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
  let streamed = false;
  const look = (node: InlineFragmentNode | FragmentSpreadNode) => {
    const values = variables && getDirectiveValues(GraphQLDeferDirective, node, variables);
    if (values && values['if'] !== false) streamed = true;
    return streamed ? BREAK : undefined;
  };
  // Not what stands in the document's other operations, and in fragments that only they use.
  visit(separateOperations(document)[operation.name?.value ?? ''] ?? document, { InlineFragment: look, FragmentSpread: look });
  return streamed;
}

/** What needs the registry's whole record. */
const recordFields = new Set(['rdap', 'registrarRdap']);

interface Reader {
  readonly document: DocumentNode;
  readonly variables: VariableValues;
  /** How many entries of lists may still be read. */
  entriesLeft: number;
}

function wishOf(field: FieldNode, root: GraphQLObjectType, reader: Reader): Wish | undefined {
  const definition = root.getFields()[field.name.value];
  const args = definition && argumentsOf(() => getArgumentValues(definition, field, reader.variables));
  if (!args) return undefined;
  spendEntries(args, reader);
  const asked = names(field.name.value, args);
  if (!asked) return undefined;
  const record = fieldsOf(field.selectionSet, reader).some(({ name }) => recordFields.has(name.value));
  return { ...asked, record };
}

function argumentsOf(read: () => Record<string, unknown>): Record<string, unknown> | undefined {
  try {
    return read();
  } catch {
    return undefined; // the field itself will say what is wrong
  }
}

/** Reading an entry costs more than sending it: one small request could keep everybody else waiting. */
function spendEntries({ tlds, domains }: Search, reader: Reader): void {
  reader.entriesLeft -= new Set(tlds).size + new Set(domains).size;
  if (reader.entriesLeft < 0)
    throw new Problem('too_many_lookups', 'The lists of this operation hold too many entries; ask for fewer names at once.');
}

function names(field: string, args: Record<string, unknown>): Omit<Wish, 'record'> | undefined {
  try {
    if (field === 'domain') return wishForOne(args as unknown as SingleName);
    return field === 'domains' || field === 'availability' ? wishForMany(args) : undefined;
  } catch {
    return undefined; // the field itself will say what is wrong
  }
}

function wishForOne(single: SingleName): Omit<Wish, 'record'> {
  return { names: [{ domain: askedName(single) }], maxAge: single.maxAge ?? undefined, kind: 'single' };
}

function wishForMany(search: Search): Omit<Wish, 'record'> {
  const asked: readonly Asked[] = askedNames(search);
  const kind = search.domains && asked.length > 1 ? 'bulk' : 'search';
  return { names: asked, maxAge: search.maxAge ?? undefined, kind, ...(search.budgetMs != null && { patient: true }) };
}

/** The fields that a selection comes to, each fragment unfolded once: repeated, it would add nothing. */
function fieldsOf(set: SelectionSetNode | undefined, reader: Reader, unfolded = new Set<string>()): readonly FieldNode[] {
  return (set?.selections ?? [])
    .filter((selection) => isIncluded(selection, reader))
    .flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet, reader, unfolded);
      const name = selection.name.value;
      if (unfolded.has(name)) return [];
      unfolded.add(name);
      return fieldsOf(fragment(name, reader), reader, unfolded);
    });
}

function fragment(name: string, { document }: Reader): SelectionSetNode | undefined {
  const found = document.definitions.find((definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name);
  return found && 'selectionSet' in found ? found.selectionSet : undefined;
}

function isIncluded(selection: SelectionNode, { variables }: Reader): boolean {
  const condition = (directive: typeof GraphQLSkipDirective) => getDirectiveValues(directive, selection, variables)?.['if'];
  return condition(GraphQLSkipDirective) !== true && condition(GraphQLIncludeDirective) !== false;
}
