import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { unlimitedWork } from '../../accounts/work-limit.ts';
import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type { Caller } from '../../execution/context.ts';
import type { Execution } from '../../execution/execution.ts';
import { TimeSlices } from '../../execution/time-slices.ts';
import type { HttpResponse } from '../../server/http-request-context.ts';
import { problemResponse } from '../../server/messages/problem-response.ts';
import { restHandler, type Endpoint } from './endpoint.ts';
import { bulk } from './endpoints/bulk.ts';
import { rdap } from './endpoints/rdap.ts';
import { tlds } from './endpoints/tlds.ts';

/** The user of this process: neither metered nor limited, and connected until it ends. */
export const localCaller: Caller = {
  signal: () => new AbortController().signal,
  account: 'local',
  payer: undefined,
  work: unlimitedWork,
};

/** Sends a request to the REST API: a path with a query, such as `v1/rdap?domain=example.com`. */
export type RestFetch = (
  path: string,
  request: {
    readonly method?: 'POST' | 'DELETE';
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  },
) => Promise<Response>;

/**
 * Returns the endpoints for names, records and TLDs without HTTP, for programs that run in this
 * process. Rejects with any error that is not a `Problem`.
 */
export function inProcessRest(execution: Execution, maxInputs: number, clock: Clock): RestFetch {
  const options = {
    execution,
    etagOf: () => '""',
    clock,
    maxTlds: maxInputs,
    maxInputs,
    openIdempotencyRecord: () => Promise.reject(new Error('No request has an idempotency key.')),
    docsUrl: () => '',
    countAliases: () => undefined,
    slices: new TimeSlices(),
  };
  const handlers = new Map(
    [bulk, rdap, tlds].map((endpoint: Endpoint) => [
      endpoint.path as string,
      restHandler(endpoint, options),
    ]),
  );

  return async (path, { method = 'GET', headers, body }) => {
    const { pathname, searchParams: query } = new URL(path, 'http://localhost');
    const handle = handlers.get(pathname);
    if (!handle) throw new Error(`${pathname} is not served in this process.`);

    const request = new IncomingMessage(new Socket());
    Object.assign(request.headers, headers);
    request.push(body ?? null);
    if (body !== undefined) request.push(null);

    const http = { request, method, path: pathname, query, usedAliases: [], requestId: '' };
    const context = { ...http, responseHeaders: {}, onResponseEnd: () => undefined };
    try {
      return toResponse(await handle({ ...context, ...localCaller }));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return toResponse(problemResponse(error, { docsUrl: '' }));
    }
  };
}

function toResponse({ status, headers, body }: HttpResponse): Response {
  const isStream = typeof body === 'object' && !(body instanceof Uint8Array);
  const content = isStream ? Readable.toWeb(Readable.from(body, { objectMode: false })) : body;
  return new Response(content as BodyInit, { status, headers });
}
