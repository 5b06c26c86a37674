import type { OpenContext } from '../../execution/context.ts';
import type { Catalogue } from '../../domain/catalogue.ts';
import type { EtagFactory } from '../messages/etag.ts';
import {
  jsonResponse,
  type AuthenticatedRequest,
  type AuthenticatedHandler,
} from '../http-request-context.ts';
import { completeRestResponse } from '../messages/complete-response.ts';

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
  { openContext, etagOf }: { openContext: OpenContext; etagOf: EtagFactory },
): AuthenticatedHandler {
  return async (request) => {
    const bodyOf = parse(request);
    const context = await openContext([], request, 'buffered');
    const body = bodyOf(context.catalogue);
    // Clients use these endpoints to check keys. A response reused without revalidation would hide
    // that a key has been revoked.
    const cacheHeaders = {
      etag: etagOf(body, request.payer?.id),
      'cache-control': 'private, no-cache',
    };
    return completeRestResponse(jsonResponse(200, body, cacheHeaders), context, request);
  };
}
