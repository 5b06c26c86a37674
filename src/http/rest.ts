import { parse, type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { Receipt } from '../accounts/credits.ts';
import type { Clock } from '../clock.ts';
import type { Context, OpenContext } from '../context.ts';
import { Problem } from '../problems.ts';
import { ageHeaders, type Tagger } from './caching.ts';
import { jsonReply, type AdmittedCall, type AdmittedHandler, type Call } from './call.ts';
import { compile, type CompiledQuery } from './compiled-query.ts';
import { concludeReply } from './conclude.ts';
import { snakeKeys } from './naming.ts';
import { refunding } from './refunding.ts';
import { lineStreamer } from './rest-lines.ts';
import { dataFreshness } from './rows.ts';
import { readRest, type RestReading, type RestRoute } from './rest-reading.ts';

export interface RestParts {
  readonly schema: GraphQLSchema;
  readonly openContext: OpenContext;
  readonly tagOf: Tagger;
  readonly clock: Clock;
}

/** Runs routes on the resolvers of GraphQL: what this door says of a name, the other says too. */
export function restHandler(route: RestRoute, { schema, openContext, tagOf, clock }: RestParts): AdmittedHandler {
  const document = parse(route.operation);
  const compiled = compileSaved(schema, document);
  const streamLines = lineStreamer(schema);

  async function open(call: AdmittedCall, { prepared, wishes }: RestReading): Promise<Context> {
    const { namesParam, openReceipt } = prepared;
    const receipt = await openReceipt?.();
    try {
      const context = await openContext(wishes, call, route.patience, receipt);
      if (receipt) {
        await refunding(context.meter, call, () => receipt.claim());
        releaseWhenSettled(receipt, context, call);
      }
      return context;
    } catch (error) {
      receipt?.release();
      throw error instanceof Problem && error.code === 'too_many_lookups'
        ? new Problem(error.code, error.message, { param: namesParam })
        : error;
    }
  }

  async function run({ values, prepared }: RestReading, contextValue: Context): Promise<unknown> {
    const { data, errors } = await compiled(contextValue, values?.variables.coerced ?? {});
    if (errors?.[0]) throw failure(errors[0], prepared.paramNames ?? {});
    return data;
  }

  return async (call) => {
    const startedAt = clock.elapsed();
    const durationMs = () => Math.round(clock.elapsed() - startedAt);
    const reading = await readRest(route, schema, document, call);
    const { prepared } = reading;
    const context = await open(call, reading);
    if (prepared.lines) return streamLines(prepared.lines, { variables: prepared.variables, context, call, durationMs });
    const reply = await refunding(context.meter, call, async () => {
      const { body, rows } = prepared.body(await run(reading, context), durationMs());
      const named = prepared.snake ? (snakeKeys(body) as object) : body;
      const { maxAge } = prepared.variables;
      const caching = route.method === 'GET' ? { etag: tagOf(named, call.payer?.id), ...ageHeaders(rows, maxAge, clock.now()) } : {};
      return jsonReply(200, named, { ...caching, 'x-data-freshness': dataFreshness(rows) });
    });
    return concludeReply(reply, context, call);
  };
}

function compileSaved(schema: GraphQLSchema, document: DocumentNode): CompiledQuery {
  const compiled = compile(schema, document);
  if (!compiled) throw new Error('a saved operation cannot be compiled');
  return compiled;
}

/** Lets the next call under the idempotency key run once the response has ended and its operation is settled. */
function releaseWhenSettled({ release }: Receipt, { meter }: Context, { whenDone }: Call): void {
  whenDone(() => void (meter ? meter.settle('cut').then(release, release) : release()));
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
