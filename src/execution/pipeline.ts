import {
  execute,
  experimentalExecuteIncrementally,
  legacyExecuteIncrementally,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  type ExecutionResult,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { workMs, type WorkBudget } from '../accounts/work-limit.ts';
import type { Context, DeferFormat, OperationRun } from './context.ts';
import type { PartialResult } from './result.ts';
import type { Schemas } from './schemas.ts';
import { parseSentDocument, validateSentDocument } from './sent-document.ts';
import { compileQuery, isCompiledQuery } from 'graphql-jit';

/** A document that is parsed and validated. */
interface SentDocument {
  /** Undefined for a document of the gateway itself, to which no limits apply. */
  readonly work: WorkBudget | undefined;
}

interface PipelineOptions {
  readonly schemas: Schemas;
  /** Whether clients may query the schema. If not, errors contain no suggestions, which reveal it. */
  readonly allowIntrospection: boolean;
  /** Reads the lookups of an operation and reserves their price. */
  readonly open: (run: OperationRun) => Promise<Context>;
}

export type Pipeline = ReturnType<typeof createPipeline>;

/**
 * A document takes about 110 bytes of memory per character. Long documents are rare and would evict
 * the common ones.
 */
const maxDocumentCharacters = 8 * 1024;
const documentCacheSize = { max: 500, maxSize: 300_000, maxEntrySize: maxDocumentCharacters };

/** Creates the phases through which every operation passes, saved ones included. */
export function createPipeline({ schemas, allowIntrospection, open }: PipelineOptions) {
  const { getEnveloped } = createYoga<object, object>({
    schema: schemas.full,
    plugins: [limits(allowIntrospection), metering(open), engine(schemas)],
    parserAndValidationCache: {
      documentCache: new LRUCache<string, DocumentNode>({
        ...documentCacheSize,
        sizeCalculation: (_document, source) => source.length,
      }),
      // Whether a document is rejected also depends on the caller's budget.
      errorCache: { get: () => undefined, set: () => undefined },
    },
    maskedErrors: false, // rendered later, the same way for every API
    graphiql: false,
    landingPage: false,
    logging: false,
  });
  return {
    /** Returns the functions that parse and validate a document. */
    reading: (document: SentDocument) => getEnveloped({ ...document }),
    /** Returns the functions that run an operation. */
    running: (run: OperationRun) => getEnveloped({ ...run }),
  };
}

/** Limits the documents of clients. */
function limits(allowIntrospection: boolean): Plugin<Partial<SentDocument>> {
  return {
    onParse({ context: { work }, setParseFn }) {
      if (!work) return;
      setParseFn((source) => {
        const document = parseSentDocument(String(source));
        work.spend(workMs.tokens(document.tokenCount ?? 0));
        return document;
      });
    },
    onValidate({ context: { work }, setValidationFn }) {
      setValidationFn((schema, document) =>
        work ? validateSentDocument(schema, document, allowIntrospection) : [],
      );
    },
  };
}

/** Opens the context of an operation, which reads its lookups and reserves their price. */
function metering(open: PipelineOptions['open']): Plugin {
  return {
    onContextBuilding: ({ context, extendContext }) =>
      open(context as unknown as OperationRun).then((opened) => extendContext(opened as object)),
  };
}

/**
 * Executes saved queries, which are compiled with their first use, and `@defer`, of which graphql-js
 * supports two formats. Yoga executes all other operations.
 */
function engine(schemas: Schemas): Plugin {
  const compiled = new WeakMap<DocumentNode, CompiledQuery>();
  const compiledOf = (document: DocumentNode): CompiledQuery => {
    const query = compiled.get(document) ?? compileSaved(schemas.base, document);
    compiled.set(document, query);
    return query;
  };
  return {
    onExecute: ({ args, setExecuteFn }) => {
      const { operation, options } = args.contextValue as unknown as OperationRun;
      const { variables, errors, delivery, isSaved } = operation;
      if (!variables) setExecuteFn(() => ({ errors }));
      else if (isSaved)
        setExecuteFn(({ document, contextValue }) =>
          compiledOf(document)(contextValue, variables.coerced),
        );
      else if (delivery === 'deferred')
        setExecuteFn((executed) => executeDeferred(executed, options.deferFormat, schemas));
    },
  };
}

async function executeDeferred(
  args: ExecutionArgs,
  format: DeferFormat | undefined,
  { base, full }: Schemas,
) {
  if (!format) return execute({ ...args, schema: base });
  const executeIncrementally =
    format === '2022' ? legacyExecuteIncrementally : experimentalExecuteIncrementally;
  const result = await executeIncrementally({ ...args, schema: full });
  return 'initialResult' in result ? flatten(result) : result;
}

async function* flatten({
  initialResult,
  subsequentResults,
}: {
  readonly initialResult: PartialResult;
  readonly subsequentResults: AsyncIterable<PartialResult>;
}): AsyncGenerator<PartialResult, void, void> {
  yield initialResult;
  yield* subsequentResults;
}

/** Executes a compiled operation, whose variables graphql-js has coerced: its messages differ. */
type CompiledQuery = (
  contextValue: unknown,
  variables: Readonly<Record<string, unknown>>,
) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Compiles a query of the gateway itself. Never pass it a document of a client: graphql-jit replaces
 * markers in some strings by unquoted text (`objectStringify` in its execution.js), so that a
 * document could inject code. It also ignores `@defer`, and merges `@skip` and `@include` of all
 * uses of a fragment.
 */
function compileSaved(schema: GraphQLSchema, document: DocumentNode): CompiledQuery {
  const compiled = compileQuery(schema, document, undefined, {
    disablingCapturingStackErrors: true,
  });
  if (!isCompiledQuery(compiled)) throw new Error('This saved operation cannot be compiled.');
  return (contextValue, variables) => compiled.query(undefined, contextValue, variables);
}
