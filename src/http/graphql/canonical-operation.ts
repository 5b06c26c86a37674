import {
  getOperationAST,
  Kind,
  print,
  separateOperations,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql';

/**
 * Returns an operation and the fragments that it uses, in a form that depends neither on white space
 * and comments, nor on the order of fragments and other operations. Returns undefined if the document
 * has no such operation.
 */
export function canonicalOperation(
  document: DocumentNode,
  operationName?: string | null,
): string | undefined {
  const operation = getOperationAST(document, operationName);
  if (!operation) return undefined;
  return withFragments(operation, document).definitions.map(print).toSorted().join('\n');
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
