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
import type { Wish } from '../lookup/wish.ts';
import { Problem } from '../problems.ts';
import { limits } from './graphql-limits.ts';
import { valuesOf, type Operation, type Values } from './operation.ts';
import { fieldsOf, mostCopies, type Selecting } from './selections.ts';

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
  const reader: Reader = { document, variables, values, entriesLeft: mostEntries, recordsLeft: Math.max(mostEntries, limits.records) };
  return fieldsOf(operation.selectionSet, reader).flatMap((field) => wishOf(field, root, reader) ?? []);
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
    return args && ('tlds' in args || 'domains' in args) ? [args as Search] : [];
  });
}

/** Whether wishes take so little memory that they may be remembered by the thousand. */
export function isShort(wishes: readonly Wish[]): boolean {
  return wishes.reduce((total, { names }) => total + names.length, 0) <= 10;
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

/** What needs the registrar's own record. */
const registrarFields = new Set(['registrarRdap', 'registrarProblem']);
/** What needs the registry's whole record. */
const recordFields = new Set(['rdap', ...registrarFields]);
/** What needs to know of the registration more than the verdict says. */
const registrationFields = new Set(['phase']);

interface Reader extends Required<Selecting> {
  readonly values: Values;
  /** How many entries of lists may still be read. */
  entriesLeft: number;
  /** How many records of lists may still be sent. */
  recordsLeft: number;
}

function wishOf(field: FieldNode, root: GraphQLObjectType, reader: Reader): Wish | undefined {
  const definition = root.getFields()[field.name.value];
  const args = definition && argumentsOf(() => reader.values.argumentsOf(definition, field));
  if (!args) return undefined;
  spendEntries(args, reader);
  const asked = namesOf(field.name.value, args);
  if (!asked) return undefined;
  const fields = fieldsOf(field.selectionSet, reader);
  const records = fields.filter(({ name }) => recordFields.has(name.value));
  // How often single names are asked for is limited by the document alone.
  if (records.length > 0 && asked.names.length > 1) spendRecords(asked.names.length * mostCopies(records, reader), reader);
  const registrarRecord = records.some(({ name }) => registrarFields.has(name.value));
  const registered = fields.some(({ name }) => registrationFields.has(name.value)) ? 'registration' : 'verdict';
  return { ...asked, args, part: records.length > 0 ? 'record' : registered, registrarRecord };
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

/** A record is many times as long as the alias that asks for it once more. */
function spendRecords(records: number, reader: Reader): void {
  reader.recordsLeft -= records;
  if (reader.recordsLeft < 0)
    throw new Problem('query_too_large', 'This asks for the same parts of too many records again and again; select each of them once.');
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
