import { isObjectType, type FieldNode, type GraphQLSchema } from 'graphql';
import type { Search } from '../domain/asked.ts';
import type { Wish } from '../lookup/wish.ts';
import { Problem } from '../problems.ts';
import type { Values } from './operation.ts';
import { fieldsOf, mostCopies, type Selecting } from './selections.ts';

/** An operation that is being read, and how much more may be read of it. */
export interface Reader extends Required<Omit<Selecting, 'type'>> {
  readonly schema: GraphQLSchema;
  readonly values: Values;
  /** How many entries of lists may still be read. */
  entriesLeft: number;
  /** How many records of lists may still be sent. */
  recordsLeft: number;
}

/** The ids of `nodes`. */
export interface Ids {
  readonly ids: readonly string[];
}

/** What needs the registrar's own record. */
const registrarFields = new Set(['registrarRdap', 'registrarProblem']);
/** What needs the registry's whole record. */
const recordFields = new Set(['rdap', ...registrarFields]);
/** What needs to know of the registration more than the verdict says. */
const registrationFields = new Set(['phase']);

/** What rows need looked up, by what is selected of each; `count` of them are sent. */
export function lookupOfRows(lookup: Omit<Wish, 'part'>, count: number, field: FieldNode, reader: Reader): Wish {
  const fields = fieldsOn('Domain', field, reader);
  const records = fields.filter(({ name }) => recordFields.has(name.value));
  // The limits of documents hold for single names.
  if (records.length > 0 && count > 1) spendRecords(count * mostCopies(records, reader), reader);
  const registrarRecord = records.some(({ name }) => registrarFields.has(name.value));
  const registered = fields.some(({ name }) => registrationFields.has(name.value)) ? 'registration' : 'verdict';
  return { ...lookup, part: records.length > 0 ? 'record' : registered, registrarRecord };
}

/** The fields that are selected of objects of a type. */
export function fieldsOn(typeName: string, { selectionSet }: FieldNode, reader: Reader): readonly FieldNode[] {
  const type = reader.schema.getType(typeName);
  return fieldsOf(selectionSet, isObjectType(type) ? { ...reader, type } : reader);
}

/** Reading an entry costs more than sending it: one small request could delay all others. */
export function spendEntries({ tlds, domains, ids }: Search & Partial<Ids>, reader: Reader): void {
  reader.entriesLeft -= new Set(tlds).size + new Set(domains).size + (ids?.length ?? 0);
  if (reader.entriesLeft < 0)
    throw new Problem('too_many_lookups', 'The lists of this operation hold too many entries; send fewer names at once.');
}

/** A record is many times as long as an alias that selects it again. */
export function spendRecords(records: number, reader: Reader): void {
  reader.recordsLeft -= records;
  if (reader.recordsLeft < 0)
    throw new Problem('query_too_large', 'The operation selects the same parts of too many records repeatedly; select each part once.');
}
