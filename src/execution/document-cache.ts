import {
  getOperationAST,
  type GraphQLError,
  Kind,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { once } from '../shared/memoize.ts';
import { compile, type CompiledQuery } from './compiled-query.ts';
import { documentLimits, queryTooLargeError, sizeError } from './document-limits.ts';
import { parseDocument } from './parse-document.ts';
import { PreparedOperation, type OperationSource } from './operation.ts';
import { fieldsOf, hasDirectives, countRepetitions } from './selections.ts';

/**
 * Two variants of the schema, because graphql-js executes a schema with `@defer` only incrementally.
 * Clients see `full`, which has `@defer`. Compiled queries and subscriptions use `base`, which does
 * not.
 */
export interface Schemas {
  readonly base: GraphQLSchema;
  readonly full: GraphQLSchema;
}

/** A document in the cache. */
export interface CachedDocument {
  readonly document: DocumentNode;
  /** Validation errors: at most ten. They contain suggestions if introspection is on. */
  readonly errors: readonly GraphQLError[];
  readonly hasDirectives: boolean;
  /** Returns the operation with this name, or undefined if there is none. */
  operation(operationName: string | null | undefined): CachedOperation | undefined;
}

/** An operation of a cached document. */
export interface CachedOperation {
  readonly prepared: PreparedOperation;
  /** Returns the compiled query after ten uses, or undefined if graphql-js must execute it. */
  compiled(): CompiledQuery | undefined;
  /** Returns whether the next use gets a compiled query. Does not count as a use. */
  isCompiled(): boolean;
}

/**
 * A document takes about 110 bytes of memory per character. A compiled one takes another 2.2 KB per
 * field, and a field has at least three characters. Long documents are rare and would evict the
 * common ones.
 */
const maxCharacters = 300_000;
const maxDocumentCharacters = 8 * 1024;
const maxDocuments = 500;

/**
 * Compiling a document takes as long as executing it many times, and V8 retains generated code, so
 * a client that sends many different documents must not trigger it.
 */
export const usesBeforeCompiling = 10;

export const maxReportedErrors = 10;

/** Caches parsed and validated documents. The least recently used are removed first. */
export class DocumentCache {
  readonly #schemas: Schemas;
  readonly #allowIntrospection: boolean;
  readonly #cache = new LRUCache<string, CachedDocument>({
    max: maxDocuments,
    maxSize: maxCharacters,
    maxEntrySize: maxDocumentCharacters,
    sizeCalculation: (_document, source) => source.length,
  });

  /**
   * If introspection is off, documents that select `__schema` or `__type` are invalid, and errors
   * contain no suggestions, which reveal names of the schema.
   */
  constructor(schemas: Schemas, allowIntrospection: boolean) {
    this.#schemas = schemas;
    this.#allowIntrospection = allowIntrospection;
  }

  /**
   * Returns a document from the cache, or parses and validates it. `onNew` is called with the
   * number of tokens before validation. Throws what `onNew` throws, and a `GraphQLError` if the
   * text does not parse or is too large.
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
      errors: validateDocument(this.#schemas.full, document, this.#allowIntrospection),
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
    const isFrequent = () => uses > usesBeforeCompiling;
    return {
      prepared: new PreparedOperation(source, definition),
      compiled: () => {
        uses += 1;
        return isFrequent() ? compiled() : undefined;
      },
      isCompiled: () => isFrequent() && compiled() !== undefined,
    };
  }
}

function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  allowIntrospection: boolean,
): readonly GraphQLError[] {
  const rules = allowIntrospection
    ? specifiedRules
    : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const errors = validate(schema, document, rules, {
    maxErrors: maxReportedErrors,
    hideSuggestions: !allowIntrospection,
  });
  // graphql-js aborts validation if too many fields of the same name must be compared.
  const isAborted = errors.some(({ message }) => message === 'Validation aborted.');
  const isRepetitive = isAborted || (errors.length === 0 && hasTooManyRepetitions(document));
  return isRepetitive
    ? [
        queryTooLargeError(
          'The document selects the same fields too many times. Select each field once.',
        ),
      ]
    : errors;
}

/** Returns whether the response to one of the operations would repeat a field too often. */
function hasTooManyRepetitions(document: DocumentNode): boolean {
  return document.definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION &&
      countRepetitions(fieldsOf(definition.selectionSet, { document }), { document }) >
        documentLimits.repetitions,
  );
}
