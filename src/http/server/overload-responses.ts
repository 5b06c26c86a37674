import type { ServerResponse } from 'node:http';
import { once } from '../../shared/memoize.ts';
import { Problem } from '../../domain/problems.ts';
import type { HttpResponse } from '../http-request-context.ts';
import { graphqlRejection } from '../graphql/problem-response.ts';
import { rdapErrorResponse } from '../rdap/rdap-error.ts';
import { isRdapPath } from '../rdap/rdap-path.ts';
import { problemResponse } from '../messages/problem-response.ts';
import { apiVersionHeader, isApiPath } from '../messages/api-version.ts';
import { joinVary, rdapVary, restVary } from '../messages/vary.ts';
import { originHeaders } from './cors.ts';

interface OverloadResponseOptions {
  readonly docsUrl: () => string;
  readonly baseUrl: () => string;
  readonly corsOrigins: readonly string[];
}

/**
 * Rejects requests under overload with prebuilt responses, which omit everything that differs per
 * request, and closes their connections.
 */
export class OverloadResponses {
  readonly #responses: () => ReturnType<typeof buildResponses>;

  constructor(options: OverloadResponseOptions) {
    this.#responses = once(() => buildResponses(options));
  }

  /** Sends the response of a path. Node omits the body of a response to HEAD. */
  send(response: ServerResponse, path: string): void {
    const { status, headers, body } = this.#responses()[apiAt(path)];
    response.writeHead(status, headers).end(body);
  }
}

function apiAt(path: string): 'graphql' | 'api' | 'rdap' | 'other' {
  if (path === '/graphql') return 'graphql';
  if (isApiPath(path)) return 'api';
  return isRdapPath(path) ? 'rdap' : 'other';
}

/** Builds the responses. Their CORS headers are valid for every origin, or omitted. */
function buildResponses({ docsUrl, baseUrl, corsOrigins }: OverloadResponseOptions) {
  const problem = new Problem('overloaded', 'The gateway is overloaded. Try again in a moment.', {
    retryAfter: 1,
  });
  const common = originHeaders(undefined, corsOrigins);
  const createResponse = ({ status, headers, body }: HttpResponse) => {
    const text = typeof body === 'string' ? body : '';
    const length = { 'content-length': String(Buffer.byteLength(text)), connection: 'close' };
    return { status, headers: { ...common, ...headers, ...length }, body: text };
  };
  const reply = problemResponse(problem, { docsUrl: docsUrl() });
  const varying = ({ headers, ...others }: HttpResponse, names: string) => ({
    ...others,
    headers: { ...headers, vary: joinVary(common['vary'], names) ?? names },
  });
  const rdap = rdapErrorResponse(problem, { docsUrl: docsUrl(), url: `${baseUrl()}/rdap` });
  return {
    graphql: createResponse(graphqlRejection(problem, docsUrl())),
    api: createResponse(
      varying({ ...reply, headers: { ...reply.headers, ...apiVersionHeader } }, restVary),
    ),
    rdap: createResponse(varying(rdap, rdapVary)),
    other: createResponse(reply),
  };
}
