import {
  askedAge,
  askedBudget,
  askedName,
  dedupeByDomain,
  entryReaders,
  type Search,
  type SingleName,
} from '../../../domain/parsed-name.ts';
import { readNodeId, type NodeLookup } from '../../../domain/node-id.ts';
import type { FieldLookup } from '../../../lookup/lookup-plan.ts';
import { Problem } from '../../../domain/problems.ts';
import type { Operation, RootField } from './operation.ts';
import { RecordLimit } from './selected-details.ts';
import type { TimeSlices } from '../../request/time-slices.ts';

interface ReaderOptions {
  /** The lists of an operation may have so many entries, however they are spelled. */
  readonly maxEntries: number;
  readonly slices: TimeSlices;
}

/**
 * Reads what the root fields of an operation look up, while other requests are served. Throws `too_many_lookups` before reading more than
 * `maxEntries` entries of lists, and `query_too_large` if the records of lists would be sent too often.
 */
export async function readFieldLookups(
  operation: Operation,
  { maxEntries, slices }: ReaderOptions,
): Promise<readonly FieldLookup[]> {
  if (countEntries(operation) > maxEntries && entriesOf(operation, distinctEntries) > maxEntries) {
    throw new Problem(
      'too_many_lookups',
      'The lists of this operation hold too many entries; send fewer names at once.',
    );
  }
  const limit = new RecordLimit(maxEntries);
  const lookups: FieldLookup[] = [];
  for (const field of operation.rootFields)
    lookups.push(...(await lookupsOf(field, limit, slices)));
  return lookups;
}

/** Returns how many entries the lists of an operation have, however they are spelled. */
export function countEntries(operation: Operation): number {
  return entriesOf(operation, (list) => list.length);
}

interface Lists {
  readonly tlds?: readonly string[] | null;
  readonly domains?: readonly string[] | null;
  readonly ids?: readonly string[] | null;
}

/** An id that is sent twice is answered twice; a name is not. */
const distinctEntries = (list: readonly string[]) => new Set(list).size;

function entriesOf({ rootFields }: Operation, count: (list: readonly string[]) => number): number {
  let entries = 0;
  for (const { args } of rootFields) {
    const { tlds, domains, ids } = (args ?? {}) as Lists;
    entries += count(tlds ?? []) + count(domains ?? []) + (ids ?? []).length;
  }
  return entries;
}

async function lookupsOf(
  field: RootField,
  limit: RecordLimit,
  slices: TimeSlices,
): Promise<readonly FieldLookup[]> {
  const { name, args } = field;
  if (!args) return [];
  if (name === 'domain') return [singleLookup(field, args as unknown as SingleName)];
  if (name === 'domains' || name === 'availability')
    return [await searchLookup(field, args, limit, slices)];
  if (name === 'node') return nodeLookups(field, [readNodeId(args['id'] as string)], 1, limit);
  if (name !== 'nodes') return [];
  const ids = args['ids'] as readonly string[];
  return nodeLookups(
    field,
    await slices.run([...new Set(ids)].map((id) => () => readNodeId(id))),
    ids.length,
    limit,
  );
}

function singleLookup({ key, selection }: RootField, single: SingleName): FieldLookup {
  const read = readOrProblem(() => ({ maxAge: askedAge(single.maxAge), name: askedName(single) }));
  if (read instanceof Problem) return failing(key, read);
  return {
    key,
    names: [{ domain: read.name }],
    maxAge: read.maxAge,
    kind: 'single',
    isStrict: true,
    ...selection.parts(),
  };
}

async function searchLookup(
  { key, selection }: RootField,
  search: Search,
  limit: RecordLimit,
  slices: TimeSlices,
): Promise<FieldLookup> {
  const read = readOrProblem(() => ({
    maxAge: askedAge(search.maxAge),
    budgetMs: askedBudget(search.budgetMs),
    readers: entryReaders(search),
  }));
  if (read instanceof Problem) return failing(key, read);
  const { maxAge, budgetMs, readers } = read;
  const names = dedupeByDomain(await slices.run(readers));
  const kind = search.domains && names.length > 1 ? 'bulk' : 'search';
  limit.spend(names.length, selection.copiesInRows);
  return { key, names, maxAge, budgetMs, kind, ...selection.parts() };
}

/** What `node` and `nodes` look up: rows like `domain` and `domains(domains)`, and records; an id that is sent twice is answered twice. */
function nodeLookups(
  { key, name: field, selection }: RootField,
  found: readonly (NodeLookup | undefined)[],
  count: number,
  limit: RecordLimit,
): readonly FieldLookup[] {
  const kindOf = ({ length }: readonly unknown[]) =>
    field === 'node' ? 'single' : length > 1 ? 'bulk' : 'search';
  const rows = found.filter((lookup) => lookup?.type === 'Domain');
  const records = found.filter((lookup) => lookup?.type === 'Registration');
  const lookups: FieldLookup[] = [];
  if (rows.length > 0) {
    const names = rows.map(({ name }) => name);
    const ids = new Set(rows.map(({ id }) => id));
    limit.spend(count, selection.copiesInRows);
    lookups.push({ key, names, ids, maxAge: undefined, kind: kindOf(names), ...selection.parts() });
  }
  if (records.length > 0) {
    const names = dedupeByDomain(records.map(({ name }) => name));
    const registrarRecord = records.some(({ source }) => source === 'registrar');
    limit.spend(count, selection.copiesInRecords);
    lookups.push({
      key,
      names,
      maxAge: undefined,
      kind: kindOf(names),
      part: 'record',
      registrarRecord,
    });
  }
  return lookups;
}

function failing(key: string, problem: Problem): FieldLookup {
  return { key, names: [], maxAge: undefined, part: 'verdict', kind: 'single', problem };
}

function readOrProblem<T>(read: () => T): T | Problem {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
