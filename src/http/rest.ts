import { execute, parse, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { Receipt } from '../accounts/credits.ts';
import type { Clock } from '../clock.ts';
import type { Context, OpenContext, Patience } from '../context.ts';
import { Problem } from '../problems.ts';
import { serverTiming } from '../lookup/timings.ts';
import { ageHeaders, isKnown, type AgedRow, type Tagger } from './caching.ts';
import { jsonReply, type AdmittedCall, type AdmittedHandler, type Call, type Reply } from './call.ts';
import { compile } from './compiled.ts';
import { costHeaders } from './credit-headers.ts';
import { namingHeader, snakeKeys } from './naming.ts';
import { valuesOf, type Operation, type Values } from './operation.ts';
import { refunding } from './refunding.ts';
import { lineStreamer, type Lines } from './rest-lines.ts';
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
  read(call: AdmittedCall): Prepared | Promise<Prepared>;
}

export interface Prepared {
  /** The parameter that holds the names: at fault when they are too many. */
  readonly namesParam: string;
  readonly variables: { readonly maxAge: number | undefined; readonly [name: string]: unknown };
  /** The keys are wanted in snake_case. */
  readonly snake: boolean;
  /** The body, from the operation's data and the milliseconds that the call took, and the rows that it was made of. */
  body(data: unknown, latencyMs: number): { readonly body: object; readonly rows: readonly AgedRow[] };
  /** What an earlier call under the same idempotency key was charged. */
  readonly receipt?: Receipt | undefined;
  /** Sends the rows as lines, as each is known, in place of the body. */
  readonly lines?: Lines | undefined;
}

/** A saved operation with its variables, as they were sent and coerced. */
interface Asked extends Operation {
  readonly variableValues: Prepared['variables'];
  readonly values: Values | undefined;
}

export interface RestParts {
  readonly schema: GraphQLSchema;
  readonly openContext: OpenContext;
  readonly tagOf: Tagger;
  readonly clock: Clock;
}

/** Runs routes on the resolvers of GraphQL: what this door says of a name, the other says too. */
export function restHandler(route: RestRoute, { schema, openContext, tagOf, clock }: RestParts): AdmittedHandler {
  const document = parse(route.operation);
  const compiled = compile(schema, { document });
  const streamLines = lineStreamer(schema);

  async function open(call: AdmittedCall, { namesParam, receipt }: Prepared, asked: Asked): Promise<Context> {
    try {
      const context = await openContext(wishesOf(asked, Infinity, asked.values), call, route.patience, receipt);
      await refunding(context.meter, call, async () => receipt?.claim());
      return context;
    } catch (error) {
      throw error instanceof Problem && error.code === 'too_many_lookups'
        ? new Problem(error.code, error.message, { param: namesParam })
        : error;
    }
  }

  async function run({ values, variableValues }: Asked, contextValue: Context): Promise<unknown> {
    const smooth = values && (await compiled?.(contextValue, values));
    if (smooth) return smooth;
    const { data, errors } = await execute({ schema, document, variableValues, contextValue });
    if (errors?.[0]) throw failure(errors[0], route.paramNames ?? {});
    return data;
  }

  return async (call) => {
    const startedAt = clock.elapsed();
    const prepared = await route.read(call);
    const variableValues = prepared.variables;
    const asked = { schema, document, variableValues, values: valuesOf({ schema, document, variableValues }) };
    const context = await open(call, prepared, asked);
    if (prepared.lines) return streamLines(prepared.lines, prepared.variables, context, call);
    const reply = await refunding(context.meter, call, async () => {
      const data = await run(asked, context);
      const { body, rows } = prepared.body(data, Math.round((clock.elapsed() - startedAt) * 100) / 100);
      const named = prepared.snake ? (snakeKeys(body) as object) : body;
      const { maxAge } = prepared.variables;
      const caching = route.method === 'GET' ? { etag: tagOf(named, call.payer?.id), ...ageHeaders(rows, maxAge, clock.now()) } : {};
      return jsonReply(200, named, { ...caching, vary: namingHeader });
    });
    return conclude(reply, context, call);
  };
}

/** Charges, and sends the answer, or 304 to a client that has it: that costs nothing where nobody was asked. */
async function conclude(reply: Reply, { meter, lookup }: Context, call: Call): Promise<Reply> {
  const { etag } = reply.headers;
  const unchanged = etag !== undefined && isKnown(call.request.headers['if-none-match'], etag);
  const cost = (unchanged && (await meter?.forgo())) || (await meter?.settle('whole'));
  call.answerHeaders['server-timing'] = serverTiming(lookup.timings);
  if (cost) Object.assign(call.answerHeaders, costHeaders(cost));
  const { 'content-type': _ofBody, ...headers } = reply.headers;
  return unchanged ? { status: 304, headers } : reply;
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
