import { basicChallenge, wwwAuthenticate } from '../accounts/authenticate.ts';
import type { Problem } from '../domain/problems.ts';
import type { HttpRequestContext, HttpResponse } from '../server/http-request-context.ts';
import { isRdapPath } from '../server/messages/api-paths.ts';
import { problemResponse } from '../server/messages/problem-response.ts';
import { operatorPath } from '../website/operator/operator-page.ts';
import { graphqlProblemResponse } from './graphql/response.ts';
import { errorResponse as mcpErrorResponse } from './mcp/errors.ts';
import { rdapErrorResponse, responseUrl } from './rdap/rdap-responses.ts';
import { resourceMetadataPath, type RouteOptions } from './routes.ts';

/** Renders a problem of a request; `http` is undefined for a request that is rejected unread. */
type ProblemFormat = (problem: Problem, http?: HttpRequestContext) => HttpResponse;

/** Returns a function that returns the format of problems at a path, by default the one of REST. */
export function problemFormats({
  docsUrl,
  baseUrl,
  oauth,
}: Pick<RouteOptions, 'docsUrl' | 'baseUrl' | 'oauth'>): (path: string) => ProblemFormat {
  const metadataUrl = () => oauth && `${baseUrl()}${resourceMetadataPath}`;
  const rest: ProblemFormat = (problem, http) => {
    const { path, requestId, request } = http ?? {};
    const options = { docsUrl: docsUrl(), path, requestId, accept: request?.headers.accept };
    return withHeaders(problemResponse(problem, options), { ...(http && { vary: 'Accept' }) });
  };

  const formats = new Map<string, ProblemFormat>([
    ['/graphql', (problem, http) => graphqlProblemResponse(problem, http, docsUrl())],
    [
      '/mcp',
      (problem, http) =>
        withHeaders(
          mcpErrorResponse(problem, { id: http?.messageId }),
          wwwAuthenticate(problem, metadataUrl()),
        ),
    ],
    [
      '/rdap',
      (problem, http) => {
        const url = responseUrl(baseUrl(), http?.path ?? '/rdap');
        return rdapErrorResponse(problem, { docsUrl: docsUrl(), url });
      },
    ],
    [operatorPath, (problem, http) => withHeaders(rest(problem, http), basicChallenge(problem))],
  ]);

  return (path) => formats.get(isRdapPath(path) ? '/rdap' : path) ?? rest;
}

function withHeaders(response: HttpResponse, headers: HttpResponse['headers']): HttpResponse {
  return { ...response, headers: { ...response.headers, ...headers } };
}
