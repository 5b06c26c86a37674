import type { OpenContext } from '../../context.ts';
import type { Catalogue } from '../../domain/catalogue.ts';
import type { EtagFactory } from '../response/etag.ts';
import {
  jsonResponse,
  type AuthenticatedRequest,
  type AuthenticatedHandler,
} from '../http-request-context.ts';
import { completeRestResponse } from '../response/complete-response.ts';

/** A path of the REST API about TLDs. */
export interface CatalogueRoute {
  readonly path: `/v1/${string}`;
  /** Reads the call; returns how to make the body, whose keys are snake_case. Throws a `Problem` that names the parameter at fault. */
  parse(request: AuthenticatedRequest): (catalogue: Catalogue) => object;
}

/** Answers from the catalogue that GraphQL's `tlds` reads, free of credits. */
export function catalogueHandler(
  { parse }: CatalogueRoute,
  { openContext, etagOf }: { openContext: OpenContext; etagOf: EtagFactory },
): AuthenticatedHandler {
  return async (request) => {
    const bodyOf = parse(request);
    const context = await openContext([], request, 'buffered');
    const body = bodyOf(context.catalogue);
    // Clients check keys with these paths. A response reused without revalidation would hide that a key has been revoked.
    const cacheHeaders = {
      etag: etagOf(body, request.payer?.id),
      'cache-control': 'private, no-cache',
    };
    return completeRestResponse(jsonResponse(200, body, cacheHeaders), context, request);
  };
}
