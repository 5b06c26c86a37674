import {
  createSourceEventStream,
  executeSubscriptionEvent,
  mapSourceToResponseEvent,
  validateSubscriptionArgs,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import type { Compiled, Data } from './compiled.ts';
import type { Values } from './operation.ts';

type Results = AsyncGenerator<ExecutionResult, void, void> | ExecutionResult;

/** What graphql's own `subscribe` would give; an event that comes out well is told by what was compiled. */
export async function subscribed(compiled: Compiled, values: Values, operation: ExecutionArgs): Promise<Results> {
  const validated = validateSubscriptionArgs(operation);
  if (!('schema' in validated)) return { errors: validated };
  const events = await createSourceEventStream(validated);
  if (!(Symbol.asyncIterator in events)) return events;
  return mapSourceToResponseEvent(validated, events, (event) => {
    const otherwise = (data: Data | undefined) => (data ? { data } : executeSubscriptionEvent(event));
    const data = compiled(event.contextValue, values, event.rootValue);
    return data instanceof Promise ? data.then(otherwise) : otherwise(data);
  });
}
