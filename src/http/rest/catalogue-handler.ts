import type { OpenContext } from '../../context.ts';
import type { Catalogue } from '../../domain/catalogue.ts';
import type { Tagger } from '../response/etag.ts';
import { jsonReply, type AdmittedCall, type AdmittedHandler } from '../call.ts';
import { concludeReply } from '../response/completion-headers.ts';

/** A path of the REST API about TLDs. */
export interface CatalogueRoute {
  readonly path: `/v1/${string}`;
  /** Reads the call; returns how to make the body, whose keys are snake_case. Throws a `Problem` that names the parameter at fault. */
  read(call: AdmittedCall): (catalogue: Catalogue) => object;
}

/** Answers from the catalogue that GraphQL's `tlds` reads, free of credits. */
export function catalogueHandler(
  { read }: CatalogueRoute,
  { openContext, tagOf }: { openContext: OpenContext; tagOf: Tagger },
): AdmittedHandler {
  return async (call) => {
    const bodyOf = read(call);
    const context = await openContext([], call, 'inOnePiece');
    const body = bodyOf(context.catalogue);
    // Clients check keys with these paths. A response reused without revalidation would hide that a key has been revoked.
    const caching = { etag: tagOf(body, call.payer?.id), 'cache-control': 'private, no-cache' };
    return concludeReply(jsonReply(200, body, caching), context, call);
  };
}
