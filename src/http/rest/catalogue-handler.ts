import type { Catalogue } from '../../domain/catalogue.ts';
import type { Execution } from '../../execution/execution.ts';
import type { EtagFactory } from '../messages/etag.ts';
import {
  jsonResponse,
  type AuthenticatedRequest,
  type AuthenticatedHandler,
} from '../http-request-context.ts';
import { conditional, valueOf } from '../messages/run-response.ts';

/** A REST endpoint that reads the TLD catalogue. */
export interface CatalogueRoute {
  readonly path: `/v1/${string}`;
  /**
   * Parses a request. Returns a function that creates the body, with snake_case keys. Throws a
   * `Problem` that names the invalid parameter.
   */
  parse(request: AuthenticatedRequest): (catalogue: Catalogue) => object;
}

/** Returns a handler that reads the same catalogue as GraphQL's `tlds`. It costs no credits. */
export function catalogueHandler(
  { parse }: CatalogueRoute,
  { execution, etagOf }: { readonly execution: Execution; readonly etagOf: EtagFactory },
): AuthenticatedHandler {
  // The body is not the result of a query, but an operation determines the cost and the balance.
  const prepare = execution.saved('{ __typename }');
  return async (request) => {
    const bodyOf = parse(request);
    const operation = (await prepare()).coerce({});
    const result = await execution.run(
      operation,
      request,
      { mode: 'buffered' },
      (_executed, { catalogue }) => {
        const body = bodyOf(catalogue);
        // Clients use these endpoints to check keys. A response reused without revalidation would
        // hide that a key has been revoked.
        const cacheHeaders = {
          etag: etagOf(body, request.payer?.id),
          'cache-control': 'private, no-cache',
        };
        return conditional(jsonResponse(200, body, cacheHeaders), request);
      },
    );
    return valueOf(result, request);
  };
}
