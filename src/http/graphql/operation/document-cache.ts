import {
  getOperationAST,
  GraphQLError,
  Kind,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValidationRule,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { once } from '../../../memoize.ts';
import { compile, type CompiledQuery } from './compiled-query.ts';
import { documentLimits, queryTooLargeError, sizeError } from './document-limits.ts';
import { PreparedOperation, type OperationSource } from './operation.ts';
import { fieldsOf, hasDirectives, countRepetitions } from './selections.ts';

/** The schema that is executed, and the one that clients see: graphql-js does not execute a schema that contains `@defer` otherwise. */
export interface Schemas {
  readonly base: GraphQLSchema;
  readonly full: GraphQLSchema;
}

/** A document as the cache holds it. */
export interface CachedDocument {
  readonly document: DocumentNode;
  /** What is wrong with it: at most ten errors, without suggestions. */
  readonly errors: readonly GraphQLError[];
  readonly hasDirectives: boolean;
  /** Returns the operation of this name; undefined if there is none. */
  operation(operationName: string | null | undefined): CachedOperation | undefined;
}

/** An operation of a cached document. */
export interface CachedOperation {
  readonly prepared: PreparedOperation;
  /** Returns the compiled query once the operation has been used ten times. Undefined for what is left to graphql-js. */
  compiled(): CompiledQuery | undefined;
  /** Returns whether the next use is of the compiled query. Does not count as a use. */
  isCompiled(): boolean;
}

/**
 * A document takes some 110 bytes of memory for each of its characters, and a compiled one 2.2 KB for each field, which has three characters
 * or more. Rare and long documents would only displace the common ones.
 */
const maxCharacters = 300_000;
const maxDocumentCharacters = 8 * 1024;
const maxDocuments = 500;

/** Compiling takes as long as many executions, and V8 keeps generated code beyond its use: clients that send new documents must not cause it. */
export const usesBeforeCompiling = 10;

export const maxReportedErrors = 10;

/** Documents with what was found out about them: clients send the same few again and again. Those used least recently are removed first. */
export class DocumentCache {
  readonly #schemas: Schemas;
  readonly #rules: readonly ValidationRule[];
  readonly #cache = new LRUCache<string, CachedDocument>({
    max: maxDocuments,
    maxSize: maxCharacters,
    maxEntrySize: maxDocumentCharacters,
    sizeCalculation: (_document, source) => source.length,
  });

  /** Without introspection, a document that selects `__schema` or `__type` is invalid. */
  constructor(schemas: Schemas, allowIntrospection: boolean) {
    this.#schemas = schemas;
    this.#rules = allowIntrospection
      ? specifiedRules
      : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  }

  /**
   * Parses and validates a document that is not cached; `onNew` is called in between with its number of tokens. Throws what `onNew` throws, and
   * a `GraphQLError` for what is not a document or too large.
   */
  read(source: string, onNew: (tokens: number) => void): CachedDocument {
    const cached = this.#cache.get(source);
    if (cached) return cached;
    const document = parseDocument(source);
    const error = sizeError(document);
    if (error) throw error;
    onNew(document.tokenCount ?? 0);
    const cachedDocument = this.#inspect(document);
    this.#cache.set(source, cachedDocument);
    return cachedDocument;
  }

  /** Returns whether an operation of a valid document is executed as a compiled query. */
  isCompiled(source: string, operationName: string | null | undefined): boolean {
    const cached = this.#cache.get(source);
    return cached?.errors.length === 0 && cached.operation(operationName)?.isCompiled() === true;
  }

  #inspect(document: DocumentNode): CachedDocument {
    const operations = new Map<OperationDefinitionNode, CachedOperation>();
    return {
      document,
      errors: validateDocument(this.#schemas.full, document, this.#rules),
      hasDirectives: hasDirectives(document),
      operation: (operationName) => {
        const definition = getOperationAST(document, operationName);
        if (!definition) return undefined;
        const operation =
          operations.get(definition) ??
          this.#prepare({ schema: this.#schemas.base, document, operationName }, definition);
        operations.set(definition, operation);
        return operation;
      },
    };
  }

  #prepare(source: OperationSource, definition: OperationDefinitionNode): CachedOperation {
    const compiled = once(() => compile(source.schema, source.document, source.operationName));
    let uses = 0;
    const isFrequent = () => (uses += 1) > usesBeforeCompiling;
    return {
      prepared: new PreparedOperation(source, definition),
      compiled: () => (isFrequent() ? compiled() : undefined),
      isCompiled: () => uses > usesBeforeCompiling && compiled() !== undefined,
    };
  }
}

function parseDocument(source: string): DocumentNode {
  try {
    return parse(source, { maxTokens: documentLimits.tokens });
  } catch (error) {
    if (error instanceof GraphQLError && /more than \d+ tokens/.test(error.message)) {
      throw queryTooLargeError(
        `The document has more than ${documentLimits.tokens} tokens; split it.`,
      );
    }
    // A list within a list takes so much of the stack that less than the tokens allowed can use it up.
    if (error instanceof RangeError)
      throw queryTooLargeError('The document nests too deeply; flatten it.');
    throw error;
  }
}

function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
): readonly GraphQLError[] {
  const errors = validate(schema, document, rules, {
    maxErrors: maxReportedErrors,
    hideSuggestions: true,
  });
  // graphql gives up on comparing each field with each other of its name.
  const isAborted = errors.some(({ message }) => message === 'Validation aborted.');
  const isRepetitive = isAborted || (errors.length === 0 && hasTooManyRepetitions(document));
  return isRepetitive
    ? [
        queryTooLargeError(
          'The document selects the same fields too often; select each of them once.',
        ),
      ]
    : errors;
}

/** Whether the answer to one of its operations would say the same too often. */
function hasTooManyRepetitions(document: DocumentNode): boolean {
  return document.definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION &&
      countRepetitions(fieldsOf(definition.selectionSet, { document }), { document }) >
        documentLimits.repetitions,
  );
}
