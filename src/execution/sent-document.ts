import {
  GraphQLError,
  Kind,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type ValidationContext,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import {
  documentLimits,
  isIntrospectionField,
  queryTooLargeError,
  sizeError,
} from './document-limits.ts';
import { countRepetitions, fieldsOf } from './selections.ts';

export const maxReportedErrors = 10;

/**
 * Creates a cache of documents by their texts. A document takes about 110 bytes of memory per
 * character. Long ones are rare and would evict the common ones.
 */
export const createDocumentCache = () =>
  new LRUCache<string, DocumentNode>({
    max: 500,
    maxSize: 300_000,
    maxEntrySize: 8 * 1024,
    sizeCalculation: (_document, source) => source.length,
  });

/** Parses a document of a client. Throws a `GraphQLError` if it does not parse or is too large. */
export function parseSentDocument(source: string): DocumentNode {
  const document = parseDocument(source);
  const error = sizeError(document);
  if (error) throw error;
  return document;
}

/** Parses a document. Throws a `GraphQLError` if it does not parse or has too many tokens. */
export function parseDocument(source: string): DocumentNode {
  try {
    return parse(source, { maxTokens: documentLimits.tokens });
  } catch (error) {
    if (error instanceof GraphQLError && /more than \d+ tokens/.test(error.message)) {
      throw queryTooLargeError(
        `The document has more than ${documentLimits.tokens} tokens. Split it.`,
      );
    }

    // Nested lists use so much stack that a document within the token limit can exhaust it.
    if (error instanceof RangeError)
      throw queryTooLargeError('The document is nested too deeply. Flatten it.');

    throw error;
  }
}

/**
 * Validates a document of a client. Returns at most ten errors. Without introspection, documents that select
 * `__schema` or `__type` are invalid, and errors contain no suggestions.
 */
export function validateSentDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  allowIntrospection: boolean,
): readonly GraphQLError[] {
  const rules = allowIntrospection
    ? specifiedRules
    : [...specifiedRules, NoSchemaIntrospectionCustomRule, noSchemaText];
  const errors = validate(schema, document, rules, {
    maxErrors: maxReportedErrors,
    hideSuggestions: !allowIntrospection,
  });

  // graphql-js aborts validation if too many fields of the same name must be compared.
  const isAborted = errors.some(({ message }) => message === 'Validation aborted.');
  const isRepetitive =
    isAborted || (errors.length === 0 && hasTooManyRepetitions(schema, document));

  return isRepetitive
    ? [
        queryTooLargeError(
          'The document selects the same fields too many times. Select each field once.',
        ),
      ]
    : errors;
}

/** Rejects `_service`, which returns the schema as text. */
const noSchemaText = (context: ValidationContext) => ({
  Field(node: FieldNode) {
    if (node.name.value !== '_service') return;
    const message = 'GraphQL introspection has been disabled, also that of `_service`.';
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});

/** Returns whether the response to one of the operations would repeat a field too often. */
function hasTooManyRepetitions(schema: GraphQLSchema, document: DocumentNode): boolean {
  const scope = { schema, document };
  return document.definitions.some((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return false;

    const fields = fieldsOf(definition.selectionSet, scope);
    const ofSchema = fields.filter(isIntrospectionField);

    return (
      countRepetitions(fields, scope) > documentLimits.repetitions ||
      countRepetitions(ofSchema, scope) > documentLimits.introspection
    );
  });
}
