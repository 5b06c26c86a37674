import { getOperationAST, GraphQLError, type GraphQLSchema } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { workUnits } from '../accounts/work-limit.ts';
import type { Context, OpenContext } from '../context.ts';
import { Problem } from '../problems.ts';
import type { AdmittedCall, AdmittedHandler } from './call.ts';
import type { Compiled, Data } from './compiled.ts';
import { createDocuments, type Documents } from './documents.ts';
import { executeIncrementally } from './graphql-incremental.ts';
import { graphqlParamsReader, type ReadParams } from './graphql-params.ts';
import { graphqlReader, type GraphqlReader, type GraphqlReading } from './graphql-reading.ts';
import { streamOf, wholeOf, type RawResult, type ResultOptions } from './graphql-results.ts';
import { canAnswer, deferredV02, negotiated, type Shape } from './media-types.ts';
import type { Operation, Values } from './operation.ts';
import { PersistedQueries } from './persisted-queries.ts';
import { hasIntrospection } from './selections.ts';
import { subscribed } from './subscribed.ts';
import { isStreamed } from './wishes.ts';

interface ServerContext {
  readonly call: AdmittedCall;
  /** Yoga copies the context, so what is found out on the way stands one level down. */
  readonly found: Found;
}

interface Found {
  readonly read: ReadParams;
  shape: Shape;
  context?: Context;
  reading?: GraphqlReading;
}

export interface GraphqlOptions extends ResultOptions {
  readonly schema: GraphQLSchema;
  readonly openContext: OpenContext;
  /** The lists of an operation may hold so many entries, however they are spelled. */
  readonly mostEntries: number;
  /** Whether clients may query the schema. */
  readonly introspection: boolean;
}

/** GraphQL over HTTP: JSON in one piece; `multipart/mixed` for `@defer`; server-sent events, or parts, for subscriptions. */
export function graphqlDoor(options: GraphqlOptions): AdmittedHandler {
  const { schema, openContext, mostEntries, introspection } = options;
  const documents = createDocuments(schema, introspection);
  const persisted = new PersistedQueries();
  const reader = graphqlReader(mostEntries);
  const yoga = createYoga<ServerContext, Context>({
    schema,
    plugins: [documentsPlugin(documents, persisted), contextPlugin(documents, reader, openContext)],
    parserAndValidationCache: false,
    maskedErrors: false, // rendered below, the same way for every shape of answer
    graphiql: false,
    landingPage: false,
    logging: false,
  });

  const readParams = graphqlParamsReader(persisted);

  /** Runs what Yoga has run for the same parameters, as it would. Undefined where that is left to it. */
  async function runAgain(read: ReadParams, found: Found, call: AdmittedCall): Promise<RawResult | undefined> {
    const { params, areShared } = read;
    const document = areShared ? documents.known(params.query) : undefined;
    // What was read was valid.
    const reading = document && reader.known(params, document);
    const compiled = document && reading?.isQuery ? documents.compiled(document, params.operationName) : undefined;
    if (!compiled || !reading?.values) return undefined;
    register(read, persisted);
    const refused = await refusing(() => open(openContext, found, call, 'whole', reading));
    const data = refused ? undefined : await compiled(found.context, reading.values);
    return data ? { data } : refused;
  }

  return async (call) => {
    const read = await readParams(call);
    if (!canAnswer(call)) throw notAcceptable();
    if (!read) return wholeOf(notRegistered(), { shape: 'whole' }, call, options);
    const found: Found = { read, shape: 'whole' };
    const known = await runAgain(read, found, call);
    if (known) return wholeOf(known, found, call, options);
    const result: unknown = await yoga.getResultForParams({ params: read.params as never, request: undefined as never }, { call, found });
    return isStream(result) ? streamOf(result, found, call, options) : wholeOf(result as RawResult, found, call, options);
  };
}

/** Registers the query of a request that is valid, so that its hash will do. */
function register({ sha256Hash, params }: ReadParams, persisted: PersistedQueries): void {
  if (sha256Hash !== undefined) persisted.add(sha256Hash, params.query);
}

/** Client libraries recognise the message, and send the query. It is a result, which they read, whatever its HTTP status. */
function notRegistered(): RawResult {
  const originalError = new Problem('persisted_query_not_found', 'PersistedQueryNotFound');
  return { errors: [new GraphQLError('', { originalError })] };
}

/** Documents are read within limits, and once. */
function documentsPlugin(documents: Documents, persisted: PersistedQueries): Plugin<ServerContext> {
  return {
    onParse({ params, context, setParsedDocument }) {
      const source = String(params.source);
      const isKnown = documents.known(source) !== undefined;
      const document = documents.parse(source);
      // What costs time is to validate it.
      if (!isKnown) asGraphqlError(() => context.call.work.spend(workUnits.tokens(document.tokenCount ?? 0)));
      setParsedDocument(document);
    },
    onValidate({ params, context, setResult }) {
      const errors = documents.validate(params.documentAST);
      if (errors.length === 0) register(context.found.read, persisted);
      setResult(errors);
    },
  };
}

/** Decides what an operation may do before it runs: nothing is asked for an answer that could not be sent. */
function contextPlugin(documents: Documents, reader: GraphqlReader, openContext: OpenContext): Plugin<ServerContext & Context> {
  const read = (operation: OpenedOperation) => reader.read(operation.contextValue.found.read, operation);

  async function openIn({ contextValue, document, operationName }: OpenedOperation, shape: Shape, reading: GraphqlReading): Promise<void> {
    if (!getOperationAST(document, operationName)) throw unknownOperation();
    const { found, call } = contextValue;
    if (hasIntrospection(document, operationName)) call.work.spend(workUnits.introspection);
    // It is open where the operation was begun and did not come out well.
    Object.assign(contextValue, found.context ?? (await open(openContext, found, call, shape, reading)));
  }
  return {
    async onExecute({ args, executeFn, setExecuteFn, setResultAndStopExecution: stop }) {
      const compiled = documents.compiled(args.document, args.operationName);
      const reading = read(args);
      const { values } = reading;
      // What can be compiled has no `@defer`.
      const shape = !compiled && isStreamed(args, values?.variables) ? 'deferred' : 'whole';
      if (shape === 'deferred' && negotiated(shape, args.contextValue.call) === deferredV02) setExecuteFn(executeIncrementally);
      if (compiled && values) setExecuteFn((running) => smoothly(compiled, running.contextValue, values, () => executeFn(running)));
      const refused = await refusing(() => openIn(args, shape, reading));
      if (refused) stop(refused);
    },
    async onSubscribe({ args, setSubscribeFn, setResultAndStopExecution: stop }) {
      const compiled = documents.compiled(args.document, args.operationName);
      const reading = read(args);
      const { values } = reading;
      if (compiled && values) setSubscribeFn((running) => subscribed(compiled, values, running));
      const refused = await refusing(() => openIn(args, 'subscription', reading));
      if (refused) stop(refused);
    },
  };
}

/** Throws what `openContext` throws, or `not_acceptable`. */
async function open(openContext: OpenContext, found: Found, call: AdmittedCall, shape: Shape, reading: GraphqlReading): Promise<Context> {
  const { entries, readAhead, wishes } = reading;
  found.shape = shape;
  found.reading = reading;
  if (!negotiated(shape, call)) throw notAcceptable();
  call.work.spend(entries());
  await readAhead();
  found.context = await openContext(wishes(), call, shape === 'whole' ? 'inOnePiece' : 'streamed');
  return found.context;
}

type OpenedOperation = Operation & { readonly contextValue: ServerContext & Context };

/** Runs what was compiled; graphql, where that comes to nothing. */
async function smoothly<T>(compiled: Compiled, context: unknown, values: Values, otherwise: () => T): Promise<T | { data: Data }> {
  const data = await compiled(context, values);
  return data ? { data } : otherwise();
}

function unknownOperation(): Problem {
  return new Problem('invalid_query', 'operationName must name one of the operations of the query.', { param: 'operationName' });
}

function notAcceptable(): Problem {
  return new Problem('not_acceptable', 'This operation cannot be answered in any media type that you accept.');
}

/** What is answered in place of an operation that may not run. */
async function refusing(run: () => Promise<unknown>): Promise<{ errors: GraphQLError[] } | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return { errors: [new GraphQLError('', { originalError: error as Error })] };
  }
}

function asGraphqlError(run: () => void): void {
  try {
    run();
  } catch (error) {
    throw new GraphQLError('', { originalError: error as Error });
  }
}

function isStream(result: unknown): result is AsyncIterable<RawResult> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}
