import { hash } from 'node:crypto';
import { GraphQLError, Kind, parse, print, type DocumentNode, type GraphQLSchema } from 'graphql';
import * as v from 'valibot';
import type { TrustedDocument } from '../../accounts/account.ts';
import { parseSentDocument, validateSentDocument } from '../../execution/sent-document.ts';
import { isObject, objectShape } from '../../shared/shapes.ts';
import { withFragments } from './trusted-documents.ts';

/** A list of documents is not valid. The message names the operation or member at fault. */
export class DocumentsError extends Error {
  override readonly name = 'DocumentsError';
}

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

interface ManifestEntry {
  readonly id: string;
  readonly text: string;
}

const apolloManifest = v.object({
  format: v.literal('apollo-persisted-query-manifest'),
  version: v.literal(1),
  operations: v.array(v.object({ id: v.string(), body: v.string() })),
});
// valibot's records accept arrays.
const textsById = v.pipe(objectShape(), v.record(v.string(), v.string()));

/**
 * Reads a list of documents: an Apollo manifest
 * (https://www.npmjs.com/package/@apollo/generate-persisted-query-manifest), a JSON object of
 * documents by identifier as Relay and GraphQL Code Generator write it, or GraphQL with named
 * operations. Throws `DocumentsError`.
 */
function readManifest(source: string): readonly ManifestEntry[] {
  const text = source.replace(/^\uFEFF/, '');
  // No GraphQL document begins like this.
  return /^\s*(?:\{\s*["}]|\[)/.test(text) ? readJson(text) : readGraphql(text);
}

function readJson(text: string): readonly ManifestEntry[] {
  const json = parseJson(text);
  const manifest = v.safeParse(apolloManifest, json);
  if (manifest.success)
    return manifest.output.operations.map(({ id, body }) => ({ id, text: body }));

  const map = v.safeParse(textsById, json);
  if (map.success)
    return Object.entries(map.output).map(([id, document]) => ({ id, text: document }));

  const member = v.getDotPath(manifest.issues[0]);
  const isApollo = isObject(json) && 'operations' in json;
  throw new DocumentsError(
    isApollo
      ? `${member ?? 'The manifest'} is not as in version 1 of Apollo's persisted query manifest.`
      : 'The JSON must be an Apollo manifest, or an object of documents by identifier.',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DocumentsError(`The file is not valid JSON: ${String(error)}`, { cause: error });
  }
}

function readGraphql(text: string): readonly ManifestEntry[] {
  const document = parseGraphql(text);
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (operations.some(({ name }) => !name))
    throw new DocumentsError('An operation has no name. Name each operation.');

  const names = operations.map(({ name }) => name?.value);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new DocumentsError(`Two operations have the name ${repeated}.`);

  return operations.map((operation) => {
    const separated = print(withFragments(operation, document));
    return { id: hash('sha256', separated), text: separated };
  });
}

function parseGraphql(text: string) {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const [{ line } = { line: 1 }] = error.locations ?? [];
    throw new DocumentsError(`Line ${line}: ${error.message}`, { cause: error });
  }
}
