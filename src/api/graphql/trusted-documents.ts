import {
  getOperationAST,
  GraphQLError,
  Kind,
  print,
  separateOperations,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { TrustedDocument } from '../../accounts/account.ts';
import { workMs, type WorkBudget } from '../../accounts/work-limit.ts';
import { Problem } from '../../domain/problems.ts';
import { parseDocument } from '../../execution/sent-document.ts';
import { getOrInsert } from '../../shared/memoize.ts';

/** What a request sends to select a document. */
interface SentDocument {
  readonly text: string | undefined;
  /** Used if there is no text. */
  readonly id: string | undefined;
  readonly operationName?: string | null | undefined;
}

/** Finds the documents that requests select among those to which their key is limited. */
export class TrustedDocuments {
  /** Canonical operations by name and text; empty for a text without such an operation. */
  readonly #canonical = new LRUCache<string, string>({
    max: 1000,
    maxSize: 2_000_000,
    sizeCalculation: (canonical, source) => canonical.length + source.length,
  });

  /**
   * Returns the text of the listed document that was sent: by its identifier, or as a text with the
   * same operation and fragments. Throws `forbidden_operation` if it is not listed, and what
   * `work.spend` throws.
   */
  find(documents: readonly TrustedDocument[], sent: SentDocument, work: WorkBudget): string {
    const found =
      sent.text === undefined
        ? documents.find(({ ids }) => ids.includes((sent.id ?? '').replace(/^sha256:/, '')))
        : (documents.find(({ text }) => text === sent.text) ??
          this.#findEqual(documents, sent.text, sent.operationName, work));
    if (found) return found.text;
    throw new Problem(
      'forbidden_operation',
      'This API key is limited to listed documents, and this document is not one of them.',
    );
  }

  #findEqual(
    documents: readonly TrustedDocument[],
    sent: string,
    operationName: string | null | undefined,
    work: WorkBudget,
  ): TrustedDocument | undefined {
    const spend = (tokens: number) => work.spend(workMs.tokens(tokens));
    const operation = this.#canonicalOf(sent, operationName, spend);
    if (!operation) return undefined;
    return documents.find(({ text }) => this.#canonicalOf(text, undefined, () => {}) === operation);
  }

  #canonicalOf(
    text: string,
    operationName: string | null | undefined,
    onNew: (tokens: number) => void,
  ): string {
    return getOrInsert(this.#canonical, JSON.stringify([operationName, text]), () =>
      canonicalText(text, operationName, onNew),
    );
  }
}

/**
 * Returns an operation and the fragments that it uses, in a form that depends neither on white space
 * and comments, nor on the order of fragments and other operations. Returns an empty text if the text
 * does not parse, or has no such operation.
 */
function canonicalText(
  text: string,
  operationName: string | null | undefined,
  onParsed: (tokens: number) => void,
): string {
  try {
    const document = parseDocument(text);
    onParsed(document.tokenCount ?? 0);
    const operation = getOperationAST(document, operationName);
    if (!operation) return '';
    return withFragments(operation, document).definitions.map(print).toSorted().join('\n');
  } catch (error) {
    if (error instanceof GraphQLError) return '';
    throw error;
  }
}

/** Returns a document of one operation and the fragments that it uses, in their order. */
export function withFragments(
  operation: OperationDefinitionNode,
  document: DocumentNode,
): DocumentNode {
  const definitions = document.definitions.filter(
    (definition) => definition === operation || definition.kind === Kind.FRAGMENT_DEFINITION,
  );
  const [separated = document] = Object.values(separateOperations({ ...document, definitions }));
  return separated;
}
