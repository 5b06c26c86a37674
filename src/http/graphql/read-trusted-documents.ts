import { hash } from 'node:crypto';
import { GraphQLError, Kind, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { TrustedDocument } from '../../accounts/account.ts';
import { parseSentDocument, validateSentDocument } from '../../execution/sent-document.ts';
import { DocumentsError } from './documents-error.ts';
import { readManifest, type ManifestEntry } from './manifest.ts';

/**
 * Each node reads the documents of a key in use once a second, together with its account. A page has
 * a few documents.
 */
const maxDocuments = 200;
const maxCharacters = 256 * 1024;

/**
 * Reads the documents to which a key is limited, in one of the formats of `readManifest`. Each must
 * be valid under the schema and contain one operation. Throws `DocumentsError`.
 */
export function readTrustedDocuments(
  source: string,
  schema: GraphQLSchema,
): readonly TrustedDocument[] {
  const entries = readManifest(source);
  if (entries.length === 0) throw new DocumentsError('The file contains no operation.');
  if (entries.length > maxDocuments)
    throw new DocumentsError(
      `The file has ${entries.length} documents; the maximum is ${maxDocuments}.`,
    );
  if (entries.reduce((sum, { text }) => sum + text.length, 0) > maxCharacters)
    throw new DocumentsError(`The documents have more than ${maxCharacters} characters in total.`);
  const documents = entries.map((entry) => toTrustedDocument(entry, schema));
  const ids = entries.map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined)
    throw new DocumentsError(`Two documents have the identifier ${JSON.stringify(repeated)}.`);
  return documents;
}

function toTrustedDocument({ id, text }: ManifestEntry, schema: GraphQLSchema): TrustedDocument {
  const document = parseText(id, text);
  const errors = validateSentDocument(schema, document, true);
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  const name = (operation && 'name' in operation && operation.name?.value) || id;
  if (operations.length !== 1)
    throw new DocumentsError(
      `Document ${JSON.stringify(id)} has ${operations.length} operations; list each separately.`,
    );
  if (errors[0]) throw new DocumentsError(`Operation ${name} is not valid: ${errors[0].message}`);
  return { ids: [...new Set([id, hash('sha256', text)])], name, text };
}

function parseText(id: string, text: string): DocumentNode {
  try {
    return parseSentDocument(text);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const name = /\b(?:query|subscription)\s+(\w+)/.exec(text)?.[1] ?? id;
    throw new DocumentsError(`Operation ${name} is not valid: ${error.message}`, { cause: error });
  }
}
