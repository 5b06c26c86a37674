import {
  execute,
  experimentalExecuteIncrementally,
  legacyExecuteIncrementally,
  visit,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { workMs, type WorkBudget } from '../accounts/work-limit.ts';
import type { DeferFormat } from './context.ts';
import type { Schemas } from './operation.ts';
import type { PartialResult } from './result.ts';
import { parseSentDocument, validateSentDocument } from './sent-document.ts';

interface ReadingContext {
  readonly work?: WorkBudget;
}

/**
 * A document takes about 110 bytes of memory per character. Long documents are rare and would evict
 * the common ones.
 */
const maxDocumentCharacters = 8 * 1024;
const documentCacheSize = { max: 500, maxSize: 300_000, maxEntrySize: maxDocumentCharacters };

/**
 * Creates the phases through which the documents and operations of clients pass. If clients may not
 * query the schema, errors contain no suggestions, which reveal it.
 */
export function createPipeline(schema: GraphQLSchema, allowIntrospection: boolean) {
  const documents = new LRUCache<string, DocumentNode>({
    ...documentCacheSize,
    sizeCalculation: (_document, source) => source.length,
  });
  const { getEnveloped } = createYoga<ReadingContext>({
    schema,
    plugins: [limits(allowIntrospection)],
    parserAndValidationCache: {
      documentCache: documents,
      // Whether a document is rejected also depends on the caller's budget.
      errorCache: { get: () => undefined, set: () => undefined },
    },
    maskedErrors: false, // rendered later, the same way for every API
    graphiql: false,
    landingPage: false,
    logging: false,
  });
  return {
    /** The documents that were parsed, by their texts. */
    documents,
    /** Returns the functions that parse and validate a document, and count the work. */
    reading: (work: WorkBudget) => getEnveloped({ work }),
    running: getEnveloped({}),
  };
}

function limits(allowIntrospection: boolean): Plugin<ReadingContext> {
  return {
    onParse({ context: { work }, setParseFn }) {
      setParseFn((source) => {
        const document = parseSentDocument(String(source));
        work?.spend(workMs.tokens(document.tokenCount ?? 0));
        return document;
      });
    },
    onValidate({ setValidationFn }) {
      setValidationFn((schema, document) =>
        validateSentDocument(schema, document, allowIntrospection),
      );
    },
  };
}

/** Runs a query with `@defer`, of which graphql-js supports two formats. */
export async function executeDeferred(
  args: Omit<ExecutionArgs, 'schema'>,
  format: DeferFormat | undefined,
  { base, full }: Schemas,
) {
  if (!format) return execute({ ...args, document: withoutDefer(args.document), schema: base });
  const executeIncrementally =
    format === '2022' ? legacyExecuteIncrementally : experimentalExecuteIncrementally;
  const result = await executeIncrementally({ ...args, schema: full });
  return 'initialResult' in result ? flatten(result) : result;
}

/** `execute` of graphql-js rejects a document with `@defer`. */
function withoutDefer(document: DocumentNode): DocumentNode {
  return visit(document, {
    Directive: ({ name }) => (name.value === 'defer' ? null : undefined),
  });
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
