import {
  executeSubscriptionEvent,
  getOperationAST,
  mapSourceToResponseEvent,
  subscribe,
  validateSubscriptionArgs,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import type { Compiled, Data } from './compiled.ts';
import type { Values } from './operation.ts';
import { fieldsOf } from './selections.ts';

type Results = AsyncGenerator<ExecutionResult, void, void> | ExecutionResult;

/** What graphql's own `subscribe` would give; an event that comes out well is told by what was compiled. */
export async function subscribed(compiled: Compiled, values: Values, operation: ExecutionArgs): Promise<Results> {
  const validated = validateSubscriptionArgs(operation);
  const events = eventsOf(operation, values);
  if (!events || !('schema' in validated)) return subscribe(operation);
  return mapSourceToResponseEvent(validated, events, (event) => {
    const otherwise = (data: Data | undefined) => (data ? { data } : executeSubscriptionEvent(event));
    const data = compiled(event.contextValue, values, event.rootValue);
    return data instanceof Promise ? data.then(otherwise) : otherwise(data);
  });
}

/** What its one field (GraphQL section 5.2.4.1) tells of, asked with the arguments that are read already. Undefined where that fails: graphql will say how. */
function eventsOf({ schema, document, operationName, contextValue }: ExecutionArgs, values: Values): AsyncIterable<unknown> | undefined {
  const [node] = fieldsOf(getOperationAST(document, operationName)?.selectionSet, { document });
  const field = node && schema.getSubscriptionType()?.getFields()[node.name.value];
  if (!node || !field?.subscribe) return undefined;
  try {
    return field.subscribe(undefined, values.argumentsOf(field, node), contextValue, undefined as never) as AsyncIterable<unknown>;
  } catch {
    return undefined;
  }
}
