import {
  validateMaxAge,
  validateBudget,
  parseName,
  searchKey,
  singleNameKey,
  dedupeByDomain,
  entryParsers,
  type Search,
  type SingleName,
} from '../domain/names/parsed-name.ts';
import {
  parseNodeId,
  parseDomainKey,
  parseRepresentation,
  type NodeLookup,
} from '../domain/node-id.ts';
import { validNames, type FieldLookup, type LookupPlan } from '../lookup/lookup-plan.ts';
import { rawInputOf } from '../domain/names/domain-name.ts';
import { Problem, resultOrProblem } from '../domain/problems.ts';
import type { Extension, ExtensionSelection } from '../domain/extension.ts';
import type { Operation, RootField } from './operation.ts';
import { RecordLimit } from './selected-details.ts';
import type { TimeSlices } from './time-slices.ts';

export interface ReaderOptions {
  /** The maximum number of entries in the lists of an operation. */
  readonly maxEntries: number;
  readonly slices: TimeSlices;
  readonly extensions: readonly Extension[];
}

/**
 * Reads the lookups of the root fields of an operation, in slices between which other requests are
 * served. Throws `too_many_lookups` if the lists have more than `maxEntries` entries, and
 * `query_too_large` if the records of lists would be repeated too often.
 */
export async function readFieldLookups(
  operation: Operation,
  { maxEntries, slices, extensions }: ReaderOptions,
): Promise<readonly FieldLookup[]> {
  const isMutation = operation.definition.operation === 'mutation';
  const isTooMany = () => isMutation || sumEntries(operation, countDistinct) > maxEntries;
  if (countEntries(operation) > maxEntries && isTooMany()) {
    throw new Problem(
      'too_many_lookups',
      'The lists of this operation have too many entries. Send fewer names per request.',
    );
  }

  const recordLimit = new RecordLimit(maxEntries);
  const lookups: FieldLookup[] = [];
  for (const field of operation.rootFields) {
    const selected = field.selection.extensionFields('Domain', extensions, operation.variables);
    const read = lookupsOf(field, recordLimit, slices);
    for (const lookup of read instanceof Promise ? await read : read)
      lookups.push({ selected, ...lookup });
  }

  return lookups;
}

/** Returns the number of entries in the lists of an operation, duplicates included. */
export function countEntries(operation: Operation): number {
  return sumEntries(operation, (list) => list.length);
}

interface ListArguments extends Search {
  readonly ids?: readonly string[] | null;
  readonly representations?: readonly unknown[];
}

/** Duplicate names of a query share one row. Duplicate ids and representations do not. */
const countDistinct = (list: readonly string[]) => new Set(list).size;

function sumEntries({ rootFields }: Operation, count: (list: readonly string[]) => number): number {
  let entries = 0;
  for (const { args } of rootFields) {
    const { tlds, domains, by, ids, representations } = (args ?? {}) as ListArguments;
    entries += count(tlds ?? by?.search?.tlds ?? []) + count(domains ?? by?.names ?? []);
    entries += (ids ?? representations ?? []).length;
  }

  return entries;
}

function lookupsOf(
  field: RootField,
  recordLimit: RecordLimit,
  slices: TimeSlices,
): readonly FieldLookup[] | Promise<readonly FieldLookup[]> {
  const { name, args } = field;
  if (!args) return [];
  if (name === 'domain') return [singleLookup(field, args as unknown as SingleName)];
  if (name === 'domains' || name === 'availability')
    return searchLookup(field, args, recordLimit, slices);
  if (name === 'node')
    return nodeLookups(field, [parseNodeId(args['id'] as string)], 1, recordLimit);
  if (name === '_entities')
    return entityLookups(field, args['representations'] as readonly unknown[], recordLimit, slices);
  if (name !== 'nodes') return [];

  const ids = args['ids'] as readonly string[];
  return slices
    .run([...new Set(ids)].map((id) => () => parseNodeId(id)))
    .then((nodes) => nodeLookups(field, nodes, ids.length, recordLimit));
}

/** Returns the lookup of the names among the representations of `_entities`. */
async function entityLookups(
  { key, selection }: RootField,
  representations: readonly unknown[],
  recordLimit: RecordLimit,
  slices: TimeSlices,
): Promise<readonly FieldLookup[]> {
  const entries = await slices.run(
    representations
      .map((value) => resultOrProblem(() => parseRepresentation(value)))
      .flatMap((each) => ('key' in each && each.type === 'Domain' ? [each.key] : []))
      .map((domain) => () => parseDomainKey(domain)),
  );
  const names = dedupeByDomain(entries);

  recordLimit.spend(entries.length, selection.rowRepetitions);
  const priority = names.length > 1 ? 'bulk' : 'search';
  return [{ key, names, maxAge: undefined, priority, ...selection.requiredDetail() }];
}

/** Returns what an operation selects that an extension looks up. */
export function extensionSelections(
  { rootFields, variables }: Operation,
  { fields }: LookupPlan,
  extension: Extension,
): readonly ExtensionSelection[] {
  const ofNames = fields
    .filter(({ selected = [] }) => selected.length > 0)
    .map(({ rows, selected = [] }) => ({ names: validNames(rows), selected }));
  const ofRoots = rootFields.flatMap(({ name, args, selection }) => {
    const type = extension.rootFields.get(name);
    if (!type || !args) return [];
    const selected = selection.extensionFields(type, [extension], variables);
    return [{ root: { name, args }, names: [], selected }];
  });

  return [...ofNames, ...ofRoots];
}

function singleLookup({ selection }: RootField, single: SingleName): FieldLookup {
  const key = singleNameKey(single);
  const read = resultOrProblem(() => ({
    maxAge: validateMaxAge(single.maxAge),
    name: parseName(single),
  }));
  if (read instanceof Problem) return failedLookup(key, read);

  return {
    key,
    names: [{ domain: read.name, inputs: [inputOf(single)] }],
    maxAge: read.maxAge,
    priority: 'single',
    isStrict: true,
    ...selection.requiredDetail(),
  };
}

const inputOf = ({ name, tld }: SingleName) => (tld == null ? name : rawInputOf(name, tld));

async function searchLookup(
  { selection }: RootField,
  search: Search,
  recordLimit: RecordLimit,
  slices: TimeSlices,
): Promise<readonly FieldLookup[]> {
  const key = searchKey(search);
  const read = resultOrProblem(() => ({
    maxAge: validateMaxAge(search.maxAge),
    budgetMs: validateBudget(search.budgetMs),
    readers: entryParsers(search),
  }));
  if (read instanceof Problem) return [failedLookup(key, read)];

  const { maxAge, budgetMs, readers } = read;
  const names = dedupeByDomain(await slices.run(readers));
  const priority = (search.domains ?? search.by?.names) && names.length > 1 ? 'bulk' : 'search';

  recordLimit.spend(names.length, selection.rowRepetitions);
  const confirm = search.confirm ?? 'ALL';
  return [{ key, names, maxAge, confirm, budgetMs, priority, ...selection.requiredDetail() }];
}

/** Returns the lookups of `node` and `nodes`: rows and records. `count` includes duplicate ids. */
function nodeLookups(
  { key, name: field, selection }: RootField,
  nodes: readonly (NodeLookup | undefined)[],
  count: number,
  recordLimit: RecordLimit,
): readonly FieldLookup[] {
  const kindOf = ({ length }: readonly unknown[]) =>
    field === 'node' ? 'single' : length > 1 ? 'bulk' : 'search';
  const rows = nodes.filter((lookup) => lookup?.type === 'Domain');
  const records = nodes.filter((lookup) => lookup?.type === 'Registration');
  const lookups: FieldLookup[] = [];
  if (rows.length > 0) {
    const names = rows.map(({ name }) => name);
    const ids = new Set(rows.map(({ id }) => id));
    recordLimit.spend(count, selection.rowRepetitions);
    lookups.push({
      key,
      names,
      ids,
      maxAge: undefined,
      priority: kindOf(names),
      ...selection.requiredDetail(),
    });
  }

  if (records.length > 0) {
    const names = dedupeByDomain(records.map(({ name }) => name));
    const registrarRecord = records.some(({ source }) => source === 'registrar');
    recordLimit.spend(count, selection.recordRepetitions);
    lookups.push({
      key,
      names,
      maxAge: undefined,
      priority: kindOf(names),
      detail: records.every(({ source }) => source === 'whois') ? 'record' : 'rdap',
      registrarRecord,
      // A record has no sites.
      selected: [],
    });
  }

  return lookups;
}

function failedLookup(key: string, problem: Problem): FieldLookup {
  return { key, names: [], maxAge: undefined, detail: 'verdict', priority: 'single', problem };
}
