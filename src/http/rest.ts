import { execute, parse, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { Receipt } from '../accounts/credits.ts';
import type { Clock } from '../clock.ts';
import type { Context, OpenContext } from '../context.ts';
import { Problem } from '../problems.ts';
import { ageHeaders, type Tagger } from './caching.ts';
import { jsonReply, type AdmittedCall, type AdmittedHandler, type Call } from './call.ts';
import { compile } from './compiled.ts';
import { concludeReply } from './conclude.ts';
import { snakeKeys } from './naming.ts';
import { refunding } from './refunding.ts';
import { lineStreamer } from './rest-lines.ts';
import { dataFreshness } from './rows.ts';
import { restReader, type RestReading, type RestRoute } from './rest-reading.ts';

export interface RestParts {
  readonly schema: GraphQLSchema;
  readonly openContext: OpenContext;
  readonly tagOf: Tagger;
  readonly clock: Clock;
}

/** What an operation yielded, what that was remembered as, and the entity tag that its body has for a payer. */
interface Said {
  readonly data: unknown;
  /** Not kept for this alone. */
  readonly memory: WeakRef<object> | undefined;
  tag?: { readonly payerId: string | undefined; readonly etag: string };
}

/** Runs routes on the resolvers of GraphQL: what this door says of a name, the other says too. */
export function restHandler(route: RestRoute, { schema, openContext, tagOf, clock }: RestParts): AdmittedHandler {
  const document = parse(route.operation);
  const read = restReader(route, schema, document);
  const compiled = compile(schema, { document });
  const streamLines = lineStreamer(schema);
  const lastSaid = new WeakMap<RestReading, Said>();

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

  /** The data of the operation. What is remembered of a name, and asked for in the same words, is told in the same words. */
  async function say(reading: RestReading, context: Context): Promise<Said> {
    // Records are long, and there may be a thousand.
    const isLasting = reading.isShared && reading.wishes.every(({ part }) => part === 'verdict');
    const memory = isLasting ? context.lookup.answerFromMemory() : undefined;
    const last = lastSaid.get(reading);
    if (last && memory && last.memory?.deref() === memory) return last;
    const said = { data: await run(reading, context), memory: memory && new WeakRef(memory) };
    if (memory) lastSaid.set(reading, said);
    return said;
  }

  function etagOf(said: Said, body: object, payerId: string | undefined): string {
    const tag = said.tag?.payerId === payerId ? said.tag : undefined;
    said.tag = tag ?? { payerId, etag: tagOf(body, payerId) };
    return said.tag.etag;
  }

  async function run({ values, prepared }: RestReading, contextValue: Context): Promise<unknown> {
    const smooth = values && (await compiled?.(contextValue, values));
    if (smooth) return smooth;
    const { data, errors } = await execute({ schema, document, variableValues: prepared.variables, contextValue });
    if (errors?.[0]) throw failure(errors[0], prepared.paramNames ?? {});
    return data;
  }

  return async (call) => {
    const startedAt = clock.elapsed();
    const durationMs = () => Math.round(clock.elapsed() - startedAt);
    const reading = await read(call);
    const { prepared } = reading;
    const context = await open(call, reading);
    if (prepared.lines) return streamLines(prepared.lines, { variables: prepared.variables, context, call, durationMs });
    const reply = await refunding(context.meter, call, async () => {
      const said = await say(reading, context);
      const { body, rows } = prepared.body(said.data, durationMs());
      const named = prepared.snake ? (snakeKeys(body) as object) : body;
      const { maxAge } = prepared.variables;
      const caching = route.method === 'GET' ? { etag: etagOf(said, named, call.payer?.id), ...ageHeaders(rows, maxAge, clock.now()) } : {};
      return jsonReply(200, named, { ...caching, 'x-data-freshness': dataFreshness(rows) });
    });
    return concludeReply(reply, context, call);
  };
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
