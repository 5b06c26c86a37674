import { execute, type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { Clock } from '../clock.ts';
import type { Meter } from '../accounts/credits.ts';
import type { Context, OpenContext, Patience } from '../context.ts';
import { Problem } from '../problems.ts';
import { jsonReply, type AdmittedHandler, type Call } from './call.ts';
import { costHeaders } from './credit-headers.ts';
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
  /** The parameter that holds the names: at fault when they are too many. */
  readonly namesParam: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The body, from the operation's data and the milliseconds that the call took. */
  body(data: unknown, latencyMs: number): unknown;
}

/** Runs routes on the resolvers of GraphQL: what this door says of a name, the other says too. */
export function restHandler(schema: GraphQLSchema, route: RestRoute, openContext: OpenContext, clock: Clock): AdmittedHandler {
  const document = savedOperation(schema, route.operation);
  return async (call) => {
    const startedAt = clock.elapsed();
    const { variables, body, namesParam } = await route.read(call);
    const wishes = wishesOf({ schema, document, variableValues: variables });
    const context = await naming(namesParam, () => openContext(wishes, call, route.patience));
    const data = await settling(context.meter, call, () => run(schema, document, variables, context, route));
    return jsonReply(200, body(data, Math.round((clock.elapsed() - startedAt) * 100) / 100));
  };
}

/** Says which parameter was at fault. */
async function naming<T>(param: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Problem && error.code === 'too_many_lookups' ? new Problem(error.code, error.message, { param }) : error;
  }
}

/** Settles when the work is done, also when it failed: then nothing is owed. */
async function settling<T>(meter: Meter | undefined, { signal, answerHeaders }: Call, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    const cost = await meter?.settle(signal.aborted ? 'cut' : 'whole');
    if (cost) Object.assign(answerHeaders, costHeaders(cost));
  }
}

async function run(
  schema: GraphQLSchema,
  document: DocumentNode,
  variableValues: Prepared['variables'],
  contextValue: Context,
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
