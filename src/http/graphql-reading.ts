import { getOperationAST, type DocumentNode } from 'graphql';
import type { Wish } from '../lookup/wish.ts';
import { once } from '../once.ts';
import type { GraphqlParams, ReadParams } from './graphql-params.ts';
import { valuesOf, type Operation, type Values } from './operation.ts';
import { isShort, wishesOf } from './wishes.ts';

/** An operation that was read. Nothing of the request but its parameters is in it. */
export interface GraphqlReading {
  readonly isQuery: boolean;
  /** Undefined when graphql will refuse the variables. */
  readonly values: Values | undefined;
  /** Throws what `wishesOf` throws. */
  readonly wishes: () => readonly Wish[];
}

/** Reads the operations of parameters; of those that are shared once, while these and their document are remembered elsewhere. */
export interface GraphqlReader {
  read(read: ReadParams, operation: Operation): GraphqlReading;
  /** What was read of the same parameters and document before. */
  known(params: GraphqlParams, document: DocumentNode): GraphqlReading | undefined;
}

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
      const isQuery = getOperationAST(document, operationName)?.operation === 'query';
      const reading = { isQuery, values, wishes };
      if (areShared) readingsOf.set(document, (readingsOf.get(document) ?? new WeakMap()).set(params, reading));
      return reading;
    },
    known,
  };
}
