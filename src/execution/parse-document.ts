import { GraphQLError, parse, type DocumentNode } from 'graphql';
import { documentLimits, queryTooLargeError } from './document-limits.ts';

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
