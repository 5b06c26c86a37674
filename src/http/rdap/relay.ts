import type { Clock } from '../../clock.ts';
import type { Execution } from '../../execution/execution.ts';
import { dataOf } from '../../execution/result.ts';
import type { PreparedOperation } from '../../execution/operation.ts';
import {
  jsonResponse,
  type AuthenticatedRequest,
  type HttpResponse,
} from '../http-request-context.ts';
import { readMaxAgeParameter, singleValue } from '../messages/parameters.ts';
import { conditional, valueOf } from '../messages/run-response.ts';
import type { EtagFactory } from '../messages/etag.ts';
import { ageHeaders } from '../messages/freshness.ts';
import { sourceNotice } from './notices.ts';
import { rdapErrorResponse } from './rdap-error.ts';
import type { ParsedLookup, RdapAnswer, RdapLookup } from './rdap-lookup.ts';
import { relayedObject } from './rdap-object.ts';
import { rdapJson } from './rdap-path.ts';

export interface RelayOptions {
  readonly execution: Execution;
  readonly etagOf: EtagFactory;
  readonly clock: Clock;
  readonly docsUrl: () => string;
  /** Returns the URL of a response at a path. */
  readonly urlOf: (path: string) => string;
}

/**
 * Relays the objects of registries. It runs the GraphQL resolvers, so all APIs return the same data.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #operation: () => Promise<PreparedOperation>;

  constructor({ operation }: RdapLookup, options: RelayOptions) {
    this.#options = options;
    this.#operation = options.execution.saved(operation);
  }

  /** Looks up an object and relays it. Throws the `Problem` of a lookup without an answer. */
  async respond(
    { variables, readAnswer }: ParsedLookup,
    request: AuthenticatedRequest,
  ): Promise<HttpResponse> {
    const maxAge = readMaxAgeParameter(singleValue(request.query, 'max_age'));
    const operation = (await this.#operation()).coerce({ ...variables, maxAge });
    const { execution } = this.#options;
    const result = await execution.run(operation, request, { mode: 'buffered' }, (executed) =>
      conditional(this.#createResponse(readAnswer(dataOf(executed)), maxAge, request), request),
    );
    return valueOf(result, request);
  }

  #createResponse(
    answer: RdapAnswer,
    maxAge: number | undefined,
    { path, payer }: AuthenticatedRequest,
  ): HttpResponse {
    const { etagOf, clock, docsUrl, urlOf } = this.#options;
    const { result, sourceUrl, age } = answer;
    const url = urlOf(path);
    const notice = sourceNotice(answer, url);
    const cacheHeaders = ageHeaders([age], maxAge, clock.now());
    if ('problem' in result) {
      // Conditions apply only to successful responses (RFC 9110 section 13.2.1), so there is no tag.
      const options = { docsUrl: docsUrl(), url, notices: [notice], headers: cacheHeaders };
      return rdapErrorResponse(result.problem, options);
    }
    return jsonResponse(200, relayedObject(result.object, notice), {
      ...cacheHeaders,
      'content-type': rdapJson,
      etag: etagOf({ object: result.object, sourceUrl, stale: age.stale }, payer?.id),
    });
  }
}
