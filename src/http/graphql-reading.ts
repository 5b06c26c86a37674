import type { DocumentNode } from 'graphql';
import type { Wish } from '../lookup/wish.ts';
import { once } from '../once.ts';
import type { GraphqlParams, ReadParams } from './graphql-params.ts';
import { valuesOf, type Operation, type Values } from './operation.ts';
import { isShort, wishesOf } from './wishes.ts';

/** An operation that was read. Nothing of the request but its parameters is in it. */
export interface GraphqlReading {
  /** Undefined when graphql will refuse the variables. */
  readonly values: Values | undefined;
  /** Throws what `wishesOf` throws. */
  readonly wishes: () => readonly Wish[];
}

/** Reads the operation of some parameters; of those that are shared once, while these and its document are remembered elsewhere. */
export function graphqlReader(mostEntries: number): (read: ReadParams, operation: Operation) => GraphqlReading {
  const readingsOf = new WeakMap<DocumentNode, WeakMap<GraphqlParams, GraphqlReading>>();

  return ({ params, areShared }, { schema, document, operationName, variableValues }) => {
    const readings = readingsOf.get(document) ?? new WeakMap<GraphqlParams, GraphqlReading>();
    const known = readings.get(params);
    if (known) return known;
    const operation = { schema, document, operationName, variableValues };
    const values = valuesOf(operation);
    const wishes = once(() => {
      const found = wishesOf(operation, mostEntries, values);
      if (!isShort(found)) readings.delete(params);
      return found;
    });
    const reading = { values, wishes };
    if (areShared) readingsOf.set(document, readings.set(params, reading));
    return reading;
  };
}
