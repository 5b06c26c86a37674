import { parse, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import { workMs, type WorkBudget } from '../accounts/work-limit.ts';
import { statusOf } from '../lookup/lookup-outcome.ts';
import type { Search } from '../domain/names/parsed-name.ts';
import { Problem, type CreditShortage } from '../domain/problems.ts';
import {
  openContext,
  type Caller,
  type Context,
  type ExecutionParts,
  type RunOptions,
} from './context.ts';
import { assertWithin, quoteOf, type Quote } from './charging/quote.ts';
import { createDocumentCache, parseSentDocument, validateSentDocument } from './sent-document.ts';
import { DisposableStack } from '@whatwg-node/disposablestack';
import { onceFulfilled } from '../shared/memoize.ts';
import { runOperation } from './run-operation.ts';
import {
  definitionIn,
  PreparedOperation,
  type Operation,
  type OperationSource,
  type RouterSchemas,
  type Schemas,
} from './operation.ts';
import {
  InvalidDocument,
  type Failure,
  type Render,
  type Rendered,
  type RunResult,
  type Stream,
  type PartialResult,
} from './result.ts';

export interface ExecutionOptions extends ExecutionParts {
  readonly schemas: Schemas;
  /** By default, all documents are of one schema. */
  readonly routerSchemas?: RouterSchemas;
  /** Whether clients may query the schema. */
  readonly allowIntrospection: boolean;
}

interface SentDocument {
  readonly work: WorkBudget;
  readonly operationName?: OperationSource['operationName'];
  /** Whether it is that of a router, whatever it selects. */
  readonly isRouter?: boolean;
}

/** The documents of one schema. */
interface SchemaVariant {
  readonly schemas: Schemas;
  readonly valid: WeakSet<DocumentNode>;
  readonly prepared: WeakMap<OperationDefinitionNode, PreparedOperation>;
}

/** Runs operations for callers. Only this class opens, prices, runs and settles an operation. */
export class Execution {
  readonly #options: ExecutionOptions;
  /** The valid documents of clients, by their texts. */
  readonly #documents = createDocumentCache();
  readonly #variants = new Map<Schemas, SchemaVariant>();
  /** Loaded with the first operation of a client. */
  readonly #pipeline = onceFulfilled(async () => {
    const { createPipeline } = await import('./pipeline.ts');
    return createPipeline(this.#options.schemas.full);
  });
  /** The operations of the gateway itself, by their text. */
  readonly #saved = new Map<string, PreparedOperation>();

  constructor(options: ExecutionOptions) {
    this.#options = options;
  }

  /**
   * Parses and validates a document that a client has sent, and counts the work. Throws a
   * `GraphQLError` or `InvalidDocument`, and what `work.spend` throws.
   */
  prepare(text: string, { work, operationName, isRouter }: SentDocument): PreparedOperation {
    const document = this.#documents.get(text) ?? parseSentDocument(text);
    const variant = this.#variantOf(document, isRouter);
    if (!variant.valid.has(document)) {
      work.spend(workMs.tokens(document.tokenCount ?? 0));
      const { allowIntrospection } = this.#options;
      const errors = validateSentDocument(variant.schemas.full, document, allowIntrospection);
      if (errors.length > 0) throw new InvalidDocument(errors);
      variant.valid.add(document);
      this.#documents.set(text, document);
    }

    return prepareIn(variant, document, { operationName, isSent: true });
  }

  /** Prepares an operation of a document that is known to be valid. Throws `invalid_query`. */
  prepareDocument(
    document: DocumentNode,
    operationName?: OperationSource['operationName'],
  ): PreparedOperation {
    return prepareIn(this.#variantOf(document), document, { operationName });
  }

  /** Prepares an operation of the gateway itself, with its first use. */
  saved(text: string): PreparedOperation {
    const operation = this.#saved.get(text) ?? this.prepareDocument(parse(text));
    this.#saved.set(text, operation);
    return operation;
  }

  /**
   * Returns the price of an operation, without running it. Rejects with the problem with which it
   * would be refused.
   */
  quote(operation: Operation, work?: WorkBudget): Promise<Quote> {
    return quoteOf(operation, this.#options, { work });
  }

  /** Returns the price of a query in credits, as if none of its names and objects were free. */
  async listPrice(query: string): Promise<number> {
    const operation = this.prepareDocument(parse(query)).coerce({});
    return (await quoteOf(operation, this.#options, { isListed: true })).credits;
  }

  /**
   * Runs an operation whose result is in one piece, renders it, and settles it. Rejects only for an
   * operation whose result is a stream, which is a mistake of its caller.
   */
  async run<T>(
    operation: Operation,
    caller: Caller,
    options: RunOptions,
    render: Render<T>,
  ): Promise<RunResult<T>> {
    const result = await this.stream(operation, caller, options, render);
    if ('parts' in result) throw new Error('The result of this operation is a stream.');
    return result;
  }

  /** Runs an operation whose result may be a stream. Without one, does the same as `run`. */
  async stream<T>(
    operation: Operation,
    caller: Caller,
    options: RunOptions,
    render: Render<T>,
  ): Promise<RunResult<T> | Stream> {
    let context: Context;
    const held = new DisposableStack();
    try {
      if (options.maxCredits !== undefined)
        assertWithin(options.maxCredits, await this.quote(operation));
      context = await openContext(held, { operation, caller, options }, this.#options);
    } catch (error) {
      held.dispose();
      return { error, cost: undefined, isRefused: true };
    }
    try {
      if (context.record) await bindIfPriced(context);
      const run = operation.isSent ? await this.#pipeline() : runOperation;
      const running = run(operation, context, options);
      if (options.onRow)
        await Promise.all([running, reportRows(operation, context, options.onRow)]);
      const result = await running;
      if (Symbol.asyncIterator in result) return await startStream(result, context);
      context.lookup.objectValues.check();
      return await complete(await render(result, context), context);
    } catch (error) {
      return fail(error, context);
    }
  }

  #variantOf(document: DocumentNode, isRouter = false): SchemaVariant {
    const { schemas, routerSchemas } = this.#options;
    const chosen = routerSchemas?.(document, isRouter) ?? schemas;
    const variant = this.#variants.get(chosen) ?? {
      schemas: chosen,
      valid: new WeakSet(),
      prepared: new WeakMap(),
    };
    this.#variants.set(chosen, variant);
    return variant;
  }
}

function prepareIn(
  { schemas: { base: schema, full: visibleSchema }, prepared }: SchemaVariant,
  document: DocumentNode,
  source: Pick<OperationSource, 'operationName' | 'isSent'>,
): PreparedOperation {
  const definition = definitionIn(document, source.operationName);
  const operation =
    prepared.get(definition) ??
    new PreparedOperation({ schema, visibleSchema, document, ...source });
  prepared.set(definition, operation);
  return operation;
}

async function complete<T>(
  { value, clientHasIt }: Rendered<T>,
  { settlement, lookup }: Context,
): Promise<RunResult<T>> {
  try {
    const cost = await settlement.settle('completed', clientHasIt);
    return { value, cost, timings: lookup.timings };
  } catch (error) {
    return { error, cost: undefined, isRefused: false };
  }
}

async function fail(error: unknown, { settlement }: Context): Promise<Failure> {
  try {
    // A response without data is free. One that is too large has done its work, so what was sent and
    // answered is charged.
    const cost = await settlement.settle(
      error instanceof Problem && error.code === 'query_too_large' ? 'aborted' : 'failed',
    );
    return { error: withShortage(error, settlement.shortage), cost, isRefused: false };
  } catch (unavailable) {
    return { error: unavailable, cost: undefined, isRefused: false };
  }
}

/** Binds the idempotency key of a call that has a price: repeating a free call costs nothing. */
async function bindIfPriced({ record, settlement }: Context): Promise<void> {
  const cost = await settlement.currentCost();
  if (cost && cost.requested > 0) await record?.bind();
}

/** Adds the credits to the problem of an object, whose GraphQL field has only a code and a text. */
function withShortage(error: unknown, credits: CreditShortage | undefined): unknown {
  const isRefusal = error instanceof Problem && error.code === 'insufficient_credits';
  return isRefusal && credits
    ? new Problem(error.code, error.message, { credits, cause: error })
    : error;
}

async function reportRows(
  { rootFields }: Operation,
  { lookup }: Context,
  onRow: NonNullable<RunOptions['onRow']>,
): Promise<void> {
  const search: Search = rootFields[0]?.args ?? {};
  const total = lookup.search(search).length;
  let done = 0;
  for await (const { domain, outcome } of lookup.searchInCompletionOrder(search)) {
    onRow({ domain, status: statusOf(await outcome()), done: ++done, total });
  }
}

/** Starts a stream of results, which settles its operation when it ends, however it ends. */
async function startStream(
  results: AsyncIterable<PartialResult>,
  { settlement, lookup, nextTurn, resumption }: Context,
): Promise<Stream> {
  let isComplete = false;
  const settleCompleted = async () => {
    await settlement.settle('completed');
    isComplete = true;
  };

  async function* settled(): AsyncGenerator<PartialResult, void, void> {
    try {
      yield {}; // taken below: a generator that has not started skips its `finally`
      for await (const part of results) {
        lookup.objectValues.check();
        if (part.hasNext === false) await settleCompleted();
        yield part;
      }

      await settleCompleted();
    } finally {
      await settlement.abort();
    }
  }

  const initialCost = await settlement.currentCost();
  const parts = settled();
  await parts.next();

  const cost = () => (isComplete ? settlement.settle('completed') : settlement.currentCost());
  return { parts, nextTurn, initialCost, cost, eventId: () => resumption?.eventId };
}
