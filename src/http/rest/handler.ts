import { parse, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { Receipt } from '../../accounts/credits.ts';
import type { Clock } from '../../clock.ts';
import type { Context, OpenContext } from '../../context.ts';
import { Problem } from '../../domain/problems.ts';
import { ageHeaders, type Tagger } from '../response/etag.ts';
import {
  jsonReply,
  type AdmittedCall,
  type AdmittedHandler,
  type Call,
  type Reply,
} from '../call.ts';
import { compile, type CompiledQuery } from '../graphql/operation/compiled-query.ts';
import { concludeReply } from '../response/completion-headers.ts';
import { readFieldLookups } from '../graphql/operation/field-lookups.ts';
import { snakeKeys } from './key-naming.ts';
import { refunding } from '../response/refund-on-error.ts';
import { linesOperation } from './saved-operations.ts';
import {
  prepareOperation,
  type Operation,
  type PreparedOperation,
} from '../graphql/operation/operation.ts';
import { streamLines } from './line-stream.ts';
import { dataFreshness } from './rows.ts';
import type { Prepared, RestRoute } from './rest-route.ts';
import type { TimeSlices } from '../request/time-slices.ts';

interface RestParts {
  readonly schema: GraphQLSchema;
  readonly openContext: OpenContext;
  readonly tagOf: Tagger;
  readonly clock: Clock;
  readonly slices: TimeSlices;
}

/** Runs a route on the resolvers of GraphQL, so that both APIs return the same data. */
export function restHandler(route: RestRoute, parts: RestParts): AdmittedHandler {
  const endpoint = new RestEndpoint(route, parts);
  return (call) => endpoint.respond(call);
}

class RestEndpoint {
  readonly #route: RestRoute;
  readonly #parts: RestParts;
  readonly #operation: PreparedOperation;
  readonly #linesOperation: PreparedOperation;
  readonly #compiled: CompiledQuery;

  constructor(route: RestRoute, parts: RestParts) {
    this.#route = route;
    this.#parts = parts;
    this.#operation = saved(route.operation, parts.schema);
    this.#linesOperation = saved(linesOperation, parts.schema);
    const compiled = compile(parts.schema, parse(route.operation));
    if (!compiled) throw new Error(`the saved operation of ${route.path} cannot be compiled`);
    this.#compiled = compiled;
  }

  async respond(call: AdmittedCall): Promise<Reply> {
    const { clock } = this.#parts;
    const startedAt = clock.elapsed();
    const durationMs = () => Math.round(clock.elapsed() - startedAt);
    const prepared = await this.#route.read(call);
    const operation = this.#readOperation(prepared);
    const context = await this.#open(operation, prepared, call);
    if (prepared.lines)
      return streamLines(prepared.lines, { operation, context, call, durationMs });
    const reply = await refunding(context.meter, call, async () => {
      const data = await this.#run(operation, prepared, context);
      return this.#replyTo(prepared, data, durationMs(), call);
    });
    return concludeReply(reply, context, call);
  }

  #readOperation({ lines, variables: variableValues }: Prepared): Operation {
    const operation = (lines ? this.#linesOperation : this.#operation).read(variableValues);
    if (!operation.variables)
      throw operation.errors[0] ?? new Error('the variables of a saved operation are not coerced');
    return operation;
  }

  async #open(
    operation: Operation,
    { namesParam, lines, openReceipt }: Prepared,
    call: AdmittedCall,
  ): Promise<Context> {
    const fields = await readFieldLookups(operation, {
      maxEntries: Infinity,
      slices: this.#parts.slices,
    });
    // The saved subscription has no argument for a time budget.
    const lookups = lines
      ? fields.map((field) => ({ ...field, budgetMs: lines.budgetMs }))
      : fields;
    const receipt = await openReceipt?.();
    try {
      const context = await this.#parts.openContext(lookups, call, this.#route.patience, receipt);
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

  async #run(
    { variables }: Operation,
    { paramNames = {} }: Prepared,
    context: Context,
  ): Promise<unknown> {
    const { data, errors } = await this.#compiled(context, variables?.coerced ?? {});
    if (errors?.[0]) throw failure(errors[0], paramNames);
    return data;
  }

  #replyTo(prepared: Prepared, data: unknown, durationMs: number, { payer }: AdmittedCall): Reply {
    const { tagOf, clock } = this.#parts;
    const { body, rows } = prepared.body(data, durationMs);
    const named = prepared.snake ? (snakeKeys(body) as object) : body;
    const isGet = this.#route.method === 'GET';
    const caching = isGet
      ? {
          etag: tagOf(named, payer?.id),
          ...ageHeaders(rows, prepared.variables.maxAge, clock.now()),
        }
      : {};
    return jsonReply(200, named, { ...caching, 'x-data-freshness': dataFreshness(rows) });
  }
}

function saved(source: string, schema: GraphQLSchema): PreparedOperation {
  const operation = prepareOperation({ schema, document: parse(source) });
  if (!operation) throw new Error('a saved document has several operations');
  return operation;
}

/** Lets the next call under the idempotency key run once the response has ended and its operation is settled. */
function releaseWhenSettled({ release }: Receipt, { meter }: Context, { whenDone }: Call): void {
  whenDone(() => void (meter ? meter.settle('cut').then(release, release) : release()));
}

/** What failed in a saved operation, in the words of the path. */
function failure(
  { originalError, message }: GraphQLError,
  paramNames: Readonly<Record<string, string>>,
): Error {
  if (!(originalError instanceof Problem)) return originalError ?? new Error(message);
  const { code, message: detail, param, cause, retryAfter } = originalError;
  return new Problem(code, detail, {
    cause,
    ...(param !== undefined && { param: paramNames[param] ?? param }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
