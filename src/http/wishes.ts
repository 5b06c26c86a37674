import {
  BREAK,
  getDirectiveValues,
  getOperationAST,
  GraphQLDeferDirective,
  separateOperations,
  visit,
  type FieldNode,
  type FragmentSpreadNode,
  type GraphQLObjectType,
  type InlineFragmentNode,
} from 'graphql';
import { askedAge, askedBudget, askedName, askedNames, type Asked, type Search, type SingleName } from '../domain/asked.ts';
import { entryInId, namesInIds } from '../domain/node-id.ts';
import type { Wish } from '../lookup/wish.ts';
import { limits } from './graphql-limits.ts';
import { valuesOf, type Operation, type Values } from './operation.ts';
import { fieldsOn, lookupOfRows, spendEntries, spendRecords, type Ids, type Reader } from './row-lookups.ts';
import { fieldsOf, mostCopies } from './selections.ts';

/**
 * What an operation will look up, from its root fields, `@skip` and `@include`, and its coerced variables: known before anything runs.
 * Arguments that execution will refuse wish for nothing. Throws `too_many_lookups` before reading more than `mostEntries` entries of lists,
 * and `query_too_large` where the records of lists would be sent too often.
 */
export function wishesOf(asked: Operation, mostEntries = Infinity, values = valuesOf(asked)): readonly Wish[] {
  const { schema, document, operationName } = asked;
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root || !values) return [];
  const { variables } = values;
  const reader: Reader = {
    schema,
    document,
    variables,
    values,
    entriesLeft: mostEntries,
    recordsLeft: Math.max(mostEntries, limits.records),
  };
  return fieldsOf(operation.selectionSet, reader).flatMap((field) => lookupsOfField(field, root, reader));
}

/** The searches of an operation, from its root fields and its coerced variables. Arguments that execution will reject are left out. */
export function searchesOf({ schema, document, operationName }: Operation, values: Values | undefined): readonly Search[] {
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root || !values) return [];
  const { variables } = values;
  return fieldsOf(operation.selectionSet, { document, variables }).flatMap((field) => {
    const definition = root.getFields()[field.name.value];
    const args = definition && argumentsOf(() => values.argumentsOf(definition, field));
    if (args && 'ids' in args) return [{ domains: (args as unknown as Ids).ids.map(entryInId) }];
    return args && ('tlds' in args || 'domains' in args) ? [args as Search] : [];
  });
}

/** Whether the rows of an operation come one by one: a subscription, or `@defer` that is not switched off. */
export function isStreamed(asked: Operation, variables = valuesOf(asked)?.variables): boolean {
  const { document, operationName } = asked;
  const operation = getOperationAST(document, operationName);
  if (!operation || operation.operation === 'subscription') return operation !== undefined && operation !== null;
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

function lookupsOfField(field: FieldNode, root: GraphQLObjectType, reader: Reader): readonly Wish[] {
  const definition = root.getFields()[field.name.value];
  const args = definition && argumentsOf(() => reader.values.argumentsOf(definition, field));
  if (!args) return [];
  spendEntries(args, reader);
  if (field.name.value === 'node') return lookupsOfIds([args['id'] as string], field, reader);
  if (field.name.value === 'nodes') return lookupsOfIds((args as unknown as Ids).ids, field, reader);
  const asked = namesOf(field.name.value, args);
  return asked ? [{ ...lookupOfRows(asked, asked.names.length, field, reader), args }] : [];
}

/** What `node` and `nodes` look up: rows like `domain` and `domains(domains)`, and records. TLDs and INVALID rows need no lookup. */
function lookupsOfIds(ids: readonly string[], field: FieldNode, reader: Reader): readonly Wish[] {
  const { rows, records, registrarRecord } = namesInIds(ids);
  const lookups: Wish[] = [];
  const kind = (names: number) => (field.name.value === 'node' ? 'single' : names > 1 ? 'bulk' : 'search');
  if (rows.length > 0) lookups.push(lookupOfRows({ names: rows, maxAge: undefined, kind: kind(rows.length) }, ids.length, field, reader));
  if (records.length > 0) {
    const fields = fieldsOn('Registration', field, reader);
    // An id that is sent twice is answered twice.
    if (ids.length > 1) spendRecords(ids.length * mostCopies(fields, reader), reader);
    lookups.push({ names: records, maxAge: undefined, kind: kind(records.length), part: 'record', registrarRecord });
  }
  return lookups;
}

function argumentsOf(read: () => Record<string, unknown>): Record<string, unknown> | undefined {
  try {
    return read();
  } catch {
    return undefined; // the field itself will say what is wrong
  }
}

/** What the arguments alone say. */
type NamesOfWish = Pick<Wish, 'names' | 'maxAge' | 'kind' | 'patient'>;

function namesOf(field: string, args: Record<string, unknown>): NamesOfWish | undefined {
  try {
    if (field === 'domain') return wishForOne(args as unknown as SingleName);
    return field === 'domains' || field === 'availability' ? wishForMany(args) : undefined;
  } catch {
    return undefined; // the field itself will say what is wrong
  }
}

function wishForOne(single: SingleName): NamesOfWish {
  return { names: [{ domain: askedName(single) }], maxAge: askedAge(single.maxAge), kind: 'single' };
}

function wishForMany(search: Search): NamesOfWish {
  const asked: readonly Asked[] = askedNames(search);
  const kind = search.domains && asked.length > 1 ? 'bulk' : 'search';
  return { names: asked, maxAge: askedAge(search.maxAge), kind, ...(askedBudget(search.budgetMs) !== undefined && { patient: true }) };
}
