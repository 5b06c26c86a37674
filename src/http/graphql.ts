import { GraphQLError, type GraphQLSchema } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Context, OpenContext } from '../context.ts';
import type { Log } from '../log.ts';
import { Problem, problems } from '../problems.ts';
import type { Call, Handler, Reply } from './call.ts';
import { createDocuments, mostErrors, type Documents } from './documents.ts';
import { renderError } from './graphql-errors.ts';
import { readGraphqlParams } from './graphql-params.ts';
import { canAnswer, negotiated, jsonResult, streamedReply, wholeReply, type Result, type Shape } from './graphql-response.ts';
import { problemExtensions, problemHeaders } from './problem.ts';
import { isStreamed, wishesOf, type Operation } from './wishes.ts';

interface ServerContext {
  readonly call: Call;
  /** Yoga copies the context, so what is found out on the way stands one level down. */
  readonly found: { shape: Shape };
}

/** GraphQL over HTTP: JSON in one piece, `multipart/mixed` for `@defer`, server-sent events for subscriptions. */
export function graphqlDoor(schema: GraphQLSchema, openContext: OpenContext, log: Log): Handler {
  const yoga = createYoga<ServerContext, Context>({
    schema,
    plugins: [documentsPlugin(createDocuments(schema)), contextPlugin(openContext)],
    parserAndValidationCache: false,
    maskedErrors: false, // rendered below, the same way for every shape of answer
    graphiql: false,
    landingPage: false,
    logging: false,
  });

  return async (call) => {
    const params = await readGraphqlParams(call);
    if (!canAnswer(call)) throw notAcceptable();
    const found: ServerContext['found'] = { shape: 'whole' };
    const result: unknown = await yoga.getResultForParams({ params: params as never, request: undefined as never }, { call, found });
    return isStream(result) ? streamOf(result, found.shape, call, log) : wholeOf(result as RawResult, call, log);
  };
}

/** A request that never reached GraphQL, said as GraphQL says it. */
export function graphqlRefusal(problem: Problem, call: Call): Reply {
  const error = { message: problem.message, extensions: problemExtensions(problem) };
  const reply = jsonResult({ errors: [error] }, problem.status, call);
  return { ...reply, headers: { ...reply.headers, ...problemHeaders(problem) } };
}

/** Documents are read within limits, and once. */
function documentsPlugin(documents: Documents): Plugin {
  return {
    onParse: ({ params, setParsedDocument }) => setParsedDocument(documents.parse(String(params.source))),
    onValidate: ({ params, setResult }) => setResult(documents.validate(params.documentAST)),
  };
}

/** Decides what an operation may do before it runs: nothing is asked for an answer that could not be sent. */
function contextPlugin(openContext: OpenContext): Plugin<ServerContext & Context> {
  function open(operation: Operation & { contextValue: ServerContext & Context }, shape: Shape): void {
    const { contextValue } = operation;
    contextValue.found.shape = shape;
    if (!negotiated(shape, contextValue.call)) throw notAcceptable();
    Object.assign(contextValue, openContext(wishesOf(operation), contextValue.call, shape === 'whole' ? 'inOnePiece' : 'streamed'));
  }
  return {
    onExecute: ({ args, setResultAndStopExecution: stop }) => refusing(() => open(args, isStreamed(args) ? 'deferred' : 'whole'), stop),
    onSubscribe: ({ args, setResultAndStopExecution: stop }) => refusing(() => open(args, 'subscription'), stop),
  };
}

function notAcceptable(): Problem {
  return new Problem('not_acceptable', 'This operation cannot be answered in any media type that you accept.');
}

function refusing(run: () => void, stop: (result: { errors: GraphQLError[] }) => void): undefined {
  try {
    run();
  } catch (error) {
    stop({ errors: [new GraphQLError('', { originalError: error as Error })] });
  }
}

/** What the executor yields: a whole result, or a part of one. */
interface RawResult {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
  readonly incremental?: readonly RawResult[];
}

function wholeOf(raw: RawResult, call: Call, log: Log): Reply {
  const result = render(raw, call, log);
  const code = result.errors?.[0]?.extensions.code;
  return wholeReply(result, code === undefined ? 200 : problems[code].status, call);
}

function streamOf(raw: AsyncIterable<RawResult>, shape: Shape, call: Call, log: Log): Reply {
  async function* results(): AsyncGenerator<Result, void, void> {
    try {
      for await (const result of raw) yield render(result, call, log);
    } catch (error) {
      yield { errors: [renderError(error, call, log)] };
    }
  }
  return streamedReply(results(), negotiated(shape, call) ?? 'text/event-stream');
}

function render({ errors, incremental, ...rest }: RawResult, call: Call, log: Log): Result {
  return {
    ...rest,
    ...(errors && { errors: errors.slice(0, mostErrors).map((error) => renderError(error, call, log)) }),
    ...(incremental && { incremental: incremental.map((part) => render(part, call, log)) }),
  };
}

function isStream(result: unknown): result is AsyncIterable<RawResult> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}
