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
import { TextMemo } from '../domain/text-memo.ts';
import { compile, type Compiled } from './compiled.ts';
import { limits, problemError, tooLarge } from './graphql-limits.ts';
import { fieldsOf, mostCopies } from './selections.ts';

/** Documents, read once and remembered: clients send the same few again and again. */
export interface Documents {
  /** Throws a GraphQLError for what is no document or too large. */
  parse(source: string): DocumentNode;
  /** What `parse` gave for the same source, while that is remembered. */
  known(source: string): DocumentNode | undefined;
  /** What is wrong with a document that `parse` gave; at most ten things, without suggestions. */
  validate(document: DocumentNode): readonly GraphQLError[];
  /** The way to run an operation of a valid document, where there is one of that name and graphql is not needed for it. */
  compiled(document: DocumentNode, operationName: string | null | undefined): Compiled | undefined;
}

/** Rare and long documents would only push the common ones out. A document takes some 110 bytes of memory for each of its characters. */
const longestRemembered = 8 * 1024;
const charactersRemembered = 300_000;

export const mostErrors = 10;

/** Without introspection, a document that selects `__schema` or `__type` is invalid. */
export function createDocuments(schema: GraphQLSchema, introspection: boolean): Documents {
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const bySource = new TextMemo<DocumentNode>(charactersRemembered);
  const errorsOf = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  // Not by name: clients make those up.
  const compiledOf = new WeakMap<OperationDefinitionNode, Compiled | undefined>();

  return {
    parse(source) {
      const known = bySource.get(source);
      if (known) return known;
      const document = parseWithin(source);
      const excess = tooLarge(document);
      if (excess) throw excess;
      if (source.length <= longestRemembered) bySource.set(source, document);
      return document;
    },
    known: (source) => bySource.get(source),
    validate(document) {
      const errors = errorsOf.get(document) ?? validateWithin(schema, document, rules);
      errorsOf.set(document, errors);
      return errors;
    },
    compiled(document, operationName) {
      const operation = getOperationAST(document, operationName);
      if (!operation) return undefined;
      if (!compiledOf.has(operation)) compiledOf.set(operation, compile(schema, { document, operationName, forJson: true }));
      return compiledOf.get(operation);
    },
  };
}

function parseWithin(source: string): DocumentNode {
  try {
    return parse(source, { maxTokens: limits.tokens });
  } catch (error) {
    if (error instanceof GraphQLError && /more than \d+ tokens/.test(error.message)) {
      throw problemError(`The document has more than ${limits.tokens} tokens; split it.`);
    }
    // A list within a list takes so much of the stack that less than the tokens allowed can use it up.
    if (error instanceof RangeError) throw problemError('The document nests too deeply; flatten it.');
    throw error;
  }
}

function validateWithin(schema: GraphQLSchema, document: DocumentNode, rules: readonly ValidationRule[]): readonly GraphQLError[] {
  const errors = validate(schema, document, rules, { maxErrors: mostErrors, hideSuggestions: true });
  // graphql gives up on comparing each field with each other of its name.
  const aborted = errors.some(({ message }) => message === 'Validation aborted.');
  const repeats = aborted || (errors.length === 0 && asksTooOften(document));
  return repeats ? [problemError('The document selects the same fields too often; select each of them once.')] : errors;
}

/** Whether the answer to one of its operations would say the same too often. */
function asksTooOften(document: DocumentNode): boolean {
  return document.definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION &&
      mostCopies(fieldsOf(definition.selectionSet, { document }), { document }) > limits.copies,
  );
}
