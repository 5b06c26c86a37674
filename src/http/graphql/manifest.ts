import { hash } from 'node:crypto';
import { GraphQLError, Kind, parse, print, type OperationDefinitionNode } from 'graphql';
import * as v from 'valibot';
import { isObject, objectShape } from '../../shared/shapes.ts';
import { withFragments } from './canonical-operation.ts';
import { DocumentsError } from './documents-error.ts';

/** A document in a manifest. */
export interface ManifestEntry {
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
export function readManifest(source: string): readonly ManifestEntry[] {
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
    (definition): definition is OperationDefinitionNode =>
      definition.kind === Kind.OPERATION_DEFINITION,
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
