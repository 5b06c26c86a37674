import { getOperationAST } from 'graphql';
import { entryReaders } from '../domain/asked.ts';
import type { Wish } from '../lookup/wish.ts';
import { once } from '../once.ts';
import { valuesOf, type Operation, type Values } from './operation.ts';
import { fieldsOf } from './selections.ts';
import { inSlices } from './slices.ts';
import { searchesOf, wishesOf } from './wishes.ts';

/** An operation that was read. */
export interface GraphqlReading {
  /** Undefined when graphql will refuse the variables. */
  readonly values: Values | undefined;
  /** How many entries its lists hold, however they are spelled. */
  readonly entries: () => number;
  /** Reads these while other requests are served, so that `wishes` is fast. */
  readonly readAhead: () => Promise<void>;
  /** Throws what `wishesOf` throws. */
  readonly wishes: () => readonly Wish[];
  /** Whether the result holds nothing but verdicts and registrations, which stay fresh for as long as they say. */
  readonly isCacheable: () => boolean;
}

/** So many are read at once in any case. */
const fewEntries = 20;

/** Reads what a valid operation looks up, in lists of at most `mostEntries` entries in all. */
export function readOperation(operation: Operation, mostEntries: number): GraphqlReading {
  const values = valuesOf(operation);
  const wishes = once(() => wishesOf(operation, mostEntries, values));
  const searches = once(() => searchesOf(operation, values));
  const entries = once(() => searches().reduce((sum, { tlds, domains }) => sum + (tlds?.length ?? 0) + (domains?.length ?? 0), 0));
  const readAhead = async () => {
    // Of more entries none is read.
    if (entries() > fewEntries && entries() <= mostEntries) for (const search of searches()) await inSlices(entryReaders(search));
  };
  const isQuery = getOperationAST(operation.document, operation.operationName)?.operation === 'query';
  const isCacheable = once(() => isQuery && holdsRowsAlone(operation, values) && !wishes().some(({ registrarRecord }) => registrarRecord));
  return { values, entries, readAhead, wishes, isCacheable };
}

/** Whether an operation selects rows and nothing else: balances, and how registries are doing, change all the time. */
function holdsRowsAlone({ document, operationName }: Operation, values: Values | undefined): boolean {
  const selecting = { document, ...(values && { variables: values.variables }) };
  const fields = fieldsOf(getOperationAST(document, operationName)?.selectionSet, selecting);
  return fields.every(({ name }) => rowFields.has(name.value));
}

const rowFields = new Set(['domain', 'domains']);
