import type { IncomingMessage } from 'node:http';
import type { Problem } from '../../domain/problems.ts';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';

/** Handles requests and renders errors. */
export interface RequestHandler {
  /** Returns whether a request is served even under overload. */
  bypassesLoadShedding(request: IncomingMessage, path: string): boolean;
  /** Renders the response to a request that is rejected because of overload. */
  renderOverload(path: string): HttpResponse;
  /** Handles a request. Errors that it throws are rendered by `renderError`. */
  handle(http: HttpRequestContext): HttpResponse | Promise<HttpResponse>;
  renderError(problem: Problem, http: HttpRequestContext): HttpResponse;
  /** Renders the error response to a request that could not be parsed. */
  renderParseError(problem: Problem, requestId: string): HttpResponse;
  /** Returns the headers of every response. */
  commonHeaders(origin: string | undefined): Record<string, string>;
}

/** A request handler with a table of routes. */
export interface Router extends RequestHandler {
  /** Returns the path if a route has it, else undefined. */
  routeOf(path: string): string | undefined;
}
