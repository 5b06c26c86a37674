import { getOperationAST, type DocumentNode } from 'graphql';
import { entryReaders } from '../domain/asked.ts';
import type { Wish } from '../lookup/wish.ts';
import { once } from '../once.ts';
import type { GraphqlParams, ReadParams } from './graphql-params.ts';
import { valuesOf, type Operation, type Values } from './operation.ts';
import { fieldsOf } from './selections.ts';
import { inSlices } from './slices.ts';
import { isShort, searchesOf, wishesOf } from './wishes.ts';

/** An operation that was read. Nothing of the request but its parameters is in it. */
export interface GraphqlReading {
  readonly isQuery: boolean;
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

/** Reads the operations of parameters; of those that are shared once, while these and their document are remembered elsewhere. */
export interface GraphqlReader {
  read(read: ReadParams, operation: Operation): GraphqlReading;
  /** What was read of the same parameters and document before. */
  known(params: GraphqlParams, document: DocumentNode): GraphqlReading | undefined;
}

/** So many are read at once in any case. */
const fewEntries = 20;

export function graphqlReader(mostEntries: number): GraphqlReader {
  const readingsOf = new WeakMap<DocumentNode, WeakMap<GraphqlParams, GraphqlReading>>();
  const known = (params: GraphqlParams, document: DocumentNode) => readingsOf.get(document)?.get(params);

  return {
    read({ params, areShared }, { schema, document, operationName, variableValues }) {
      const readBefore = known(params, document);
      if (readBefore) return readBefore;
      const operation = { schema, document, operationName, variableValues };
      const values = valuesOf(operation);
      const wishes = once(() => {
        const found = wishesOf(operation, mostEntries, values);
        if (!isShort(found)) readingsOf.get(document)?.delete(params);
        return found;
      });
      const searches = once(() => searchesOf(operation, values));
      const entries = once(() => searches().reduce((sum, { tlds, domains }) => sum + (tlds?.length ?? 0) + (domains?.length ?? 0), 0));
      const readAhead = async () => {
        // Of more entries none is read.
        if (entries() > fewEntries && entries() <= mostEntries) for (const search of searches()) await inSlices(entryReaders(search));
      };
      const isQuery = getOperationAST(document, operationName)?.operation === 'query';
      const isCacheable = once(
        () => isQuery && holdsRowsAlone(operation, values) && !wishes().some(({ registrarRecord }) => registrarRecord),
      );
      const reading = { isQuery, values, entries, readAhead, wishes, isCacheable };
      if (areShared) readingsOf.set(document, (readingsOf.get(document) ?? new WeakMap()).set(params, reading));
      return reading;
    },
    known,
  };
}

/** Whether an operation selects rows and nothing else: balances, and how registries are doing, change all the time. */
function holdsRowsAlone({ document, operationName }: Operation, values: Values | undefined): boolean {
  const selecting = { document, ...(values && { variables: values.variables }) };
  const fields = fieldsOf(getOperationAST(document, operationName)?.selectionSet, selecting);
  return fields.every(({ name }) => rowFields.has(name.value));
}

const rowFields = new Set(['domain', 'domains']);
