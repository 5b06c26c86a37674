import type { GraphQLSchema } from 'graphql';
import type { Clock } from '../../clock.ts';
import type { Context, OpenContext } from '../../execution/context.ts';
import { once } from '../../shared/memoize.ts';
import { readFieldLookups } from '../../execution/field-lookups.ts';
import type { Operation } from '../../execution/operation.ts';
import {
  jsonResponse,
  type AuthenticatedRequest,
  type HttpResponse,
} from '../http-request-context.ts';
import { readMaxAgeParameter, singleValue } from '../messages/parameters.ts';
import type { TimeSlices } from '../../execution/time-slices.ts';
import { completeRestResponse } from '../messages/complete-response.ts';
import { ageHeaders, type EtagFactory } from '../messages/etag.ts';
import { withRefundOnError } from '../messages/refund-on-error.ts';
import { SavedOperation } from '../../execution/saved-operation.ts';
import { sourceNotice } from './notices.ts';
import { rdapErrorResponse } from './rdap-error.ts';
import type { ParsedLookup, RdapAnswer, RdapLookup } from './rdap-lookup.ts';
import { relayedObject } from './rdap-object.ts';
import { rdapJson } from './rdap-path.ts';

export interface RelayOptions {
  readonly schema: GraphQLSchema;
  readonly openContext: OpenContext;
  readonly etagOf: EtagFactory;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly docsUrl: () => string;
  /** Returns the URL of a response at a path. */
  readonly urlOf: (path: string) => string;
}

/**
 * Relays the objects of registries. It runs the GraphQL resolvers, so all APIs return the same data.
 */
export class Relay {
  readonly #options: RelayOptions;
  /** Compiled on first use, which would take most of the startup time. */
  readonly #operation: () => SavedOperation;

  constructor({ operation }: RdapLookup, options: RelayOptions) {
    this.#options = options;
    this.#operation = once(() => new SavedOperation(operation, options.schema));
  }

  /** Looks up an object and relays it. Throws the `Problem` of a lookup without an answer. */
  async respond(
    { variables, readAnswer }: ParsedLookup,
    request: AuthenticatedRequest,
  ): Promise<HttpResponse> {
    const maxAge = readMaxAgeParameter(singleValue(request.query, 'max_age'));
    const operation = this.#operation().coerce({ ...variables, maxAge });
    const context = await this.#openContext(operation, request);
    const response = await withRefundOnError(context.meter, request, async () => {
      const answer = readAnswer(await this.#operation().run(operation, context));
      return this.#createResponse(answer, maxAge, request);
    });
    return completeRestResponse(response, context, request);
  }

  async #openContext(operation: Operation, request: AuthenticatedRequest): Promise<Context> {
    const { slices, openContext } = this.#options;
    const fields = await readFieldLookups(operation, { maxEntries: Infinity, slices });
    return openContext(fields, request, 'buffered');
  }

  #createResponse(
    answer: RdapAnswer,
    maxAge: number | undefined,
    { path, payer }: AuthenticatedRequest,
  ): HttpResponse {
    const { etagOf, clock, docsUrl, urlOf } = this.#options;
    const { result, sourceUrl, stale } = answer;
    const url = urlOf(path);
    const notice = sourceNotice(answer, url);
    const cacheHeaders = ageHeaders([answer], maxAge, clock.now());
    if ('problem' in result) {
      // Conditions apply only to successful responses (RFC 9110 section 13.2.1), so there is no tag.
      const options = { docsUrl: docsUrl(), url, notices: [notice], headers: cacheHeaders };
      return rdapErrorResponse(result.problem, options);
    }
    return jsonResponse(200, relayedObject(result.object, notice), {
      ...cacheHeaders,
      'content-type': rdapJson,
      etag: etagOf({ object: result.object, sourceUrl, stale }, payer?.id),
    });
  }
}
