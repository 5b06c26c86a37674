import type { JsonObject } from '../../src/domain/registration.ts';
import { apiHeaders, deprecationHeaderNames } from './headers.ts';
import { problemResponses } from './responses.ts';

/** Returns an operation that is not implemented. `aliases` are its deprecated parameters. */
export function notImplementedOperation(path: string, aliases: readonly JsonObject[]): JsonObject {
  const name = path.slice('/v1/'.length);
  return {
    operationId: `get${`-${name}`.replaceAll(/[/-](\w)/g, (_all, letter: string) => letter.toUpperCase())}`,
    summary: `${name} (not implemented)`,
    description:
      'Part of the public API, but not implemented by this gateway: returns 501, with or without a key.',
    tags: ['Not served'],
    'x-scalar-ignore': true,
    security: [],
    parameters: aliases,
    responses: problemResponses(
      ['rate_limited', 'not_implemented'],
      [...apiHeaders, ...(aliases.length > 0 ? deprecationHeaderNames : [])],
    ),
  };
}
