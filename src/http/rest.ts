import { execute, type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { Clock } from '../clock.ts';
import type { OpenContext, Patience } from '../context.ts';
import { Problem } from '../problems.ts';
import { jsonReply, type Call, type Handler } from './call.ts';
import { savedOperation } from './operations.ts';
import { wishesOf } from './wishes.ts';

/** A path of the REST door: what it takes, the saved operation that it runs, and how the data becomes the body. */
export interface RestRoute {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly operation: string;
  readonly patience: keyof Patience;
  /** What an argument of the operation is called at this path, where that differs. */
  readonly paramNames?: Readonly<Record<string, string>>;
  /** Reads the call. Throws a `Problem` that names the culprit. */
  read(call: Call): Prepared | Promise<Prepared>;
}

export interface Prepared {
  readonly variables: Readonly<Record<string, unknown>>;
  /** The body, from the operation's data and the milliseconds that the call took. */
  body(data: unknown, latencyMs: number): unknown;
}

/** Runs routes on the resolvers of GraphQL: what this door says of a name, the other says too. */
export function restHandler(schema: GraphQLSchema, route: RestRoute, openContext: OpenContext, clock: Clock): Handler {
  const document = savedOperation(schema, route.operation);
  return async (call) => {
    const startedAt = clock.elapsed();
    const { variables, body } = await route.read(call);
    const contextValue = openContext(wishesOf({ schema, document, variableValues: variables }), call, route.patience);
    const data = await run(schema, document, variables, contextValue, route);
    return jsonReply(200, body(data, Math.round((clock.elapsed() - startedAt) * 100) / 100));
  };
}

async function run(
  schema: GraphQLSchema,
  document: DocumentNode,
  variableValues: Prepared['variables'],
  contextValue: ReturnType<OpenContext>,
  { paramNames = {} }: RestRoute,
): Promise<unknown> {
  const { data, errors } = await execute({ schema, document, variableValues, contextValue });
  if (errors?.[0]) throw failure(errors[0], paramNames);
  return data;
}

/** What failed in a saved operation, in the words of the path. */
function failure({ originalError, message }: GraphQLError, paramNames: Readonly<Record<string, string>>): Error {
  if (!(originalError instanceof Problem)) return originalError ?? new Error(message);
  const { code, message: detail, param, cause, retryAfter } = originalError;
  return new Problem(code, detail, {
    cause,
    ...(param !== undefined && { param: paramNames[param] ?? param }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
