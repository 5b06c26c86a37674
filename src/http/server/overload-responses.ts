import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from '../../shared/memoize.ts';
import { Problem } from '../../domain/problems.ts';
import type { HttpResponse } from '../http-request-context.ts';
import { graphqlRejection } from '../graphql/problem-response.ts';
import { rdapErrorResponse } from '../rdap/rdap-error.ts';
import { isRdapPath } from '../rdap/rdap-path.ts';
import { problemResponse } from '../messages/problem-response.ts';
import { apiVersionHeader, isApiPath } from '../messages/api-version.ts';
import { rawResponse } from './raw-response.ts';
import { joinVary, rdapVary, restVary } from '../messages/vary.ts';
import { originHeaders } from './cors.ts';

interface OverloadResponseOptions {
  readonly docsUrl: () => string;
  readonly baseUrl: () => string;
  readonly corsOrigins: readonly string[];
}

/**
 * Rejects requests under overload with prebuilt responses, which omit everything that differs per
 * request.
 */
export class OverloadResponses {
  readonly #responses: () => Readonly<
    Record<'graphql' | 'api' | 'rdap' | 'other', PreparedResponse>
  >;

  constructor(options: OverloadResponseOptions) {
    this.#responses = once(() => buildResponses(options));
  }

  send(request: IncomingMessage, response: ServerResponse, path: string): void {
    this.#responses()[apiAt(path)].send(request, response);
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
  const createResponse = (reply: HttpResponse) =>
    new PreparedResponse({ ...reply, headers: { ...common, ...reply.headers } });
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

/** Sends the same response to each rejected request, and closes the connection. */
class PreparedResponse {
  readonly #status: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #body: string;
  readonly #raw: string;
  readonly #rawHead: string;

  constructor(reply: HttpResponse) {
    const { status, headers, body } = reply;
    this.#status = status;
    this.#body = typeof body === 'string' ? body : '';
    this.#headers = {
      ...headers,
      'content-length': String(Buffer.byteLength(this.#body)),
      connection: 'close',
    };
    this.#raw = rawResponse(reply);
    this.#rawHead = this.#raw.slice(0, this.#raw.indexOf('\r\n\r\n') + 4);
  }

  send(request: IncomingMessage, response: ServerResponse): void {
    const { method, socket, complete } = request;
    const isHead = method === 'HEAD';
    const isFirst = response.socket === socket;
    // Bypasses Node's response object, which would take most of the time here. Not possible while
    // earlier responses of the connection are pending, or part of the body is unread: closing the
    // connection could then lose the response.
    if (isFirst && (complete || isHead || method === 'GET')) {
      return void socket.write(isHead ? this.#rawHead : this.#raw, 'latin1', () =>
        socket.destroy(),
      );
    }
    response.writeHead(this.#status, this.#headers);
    response.end(isHead ? undefined : this.#body);
  }
}
