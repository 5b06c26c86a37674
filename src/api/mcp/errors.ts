import type { Problem } from '../../domain/problems.ts';
import { jsonResponse, type HttpResponse } from '../../server/http-request-context.ts';
import {
  isServerFault,
  problemHeaders,
  problemMembers,
} from '../../server/messages/problem-response.ts';

/** Codes of errors (JSON-RPC 2.0, section 5.1). `rejected`: of those that servers define. */
export const errorCodes = {
  parse: -32700,
  request: -32600,
  params: -32602,
  internal: -32603,
  rejected: -32000,
};

/** The id of a request. */
export type MessageId = string | number;

/** Where a problem occurred: its code, and the id of the request, if it was read. */
interface ErrorContext {
  readonly code?: number;
  readonly id?: MessageId | undefined;
}

/**
 * Returns the error of JSON-RPC (section 5) for a problem. Its `data` has the members of REST
 * problems.
 */
export function errorMessage(problem: Problem, { code, id }: ErrorContext = {}) {
  const error = {
    code: code ?? errorCodes[isServerFault(problem) ? 'internal' : 'rejected'],
    message: problem.message,
    data: problemMembers(problem),
  };
  return { jsonrpc: '2.0', id: id ?? null, error };
}

/**
 * Renders a problem as an error of JSON-RPC. The status is 200 for a request with an id: many
 * clients take any other for a broken connection, and do not read the error. Without one, it is that
 * of the problem.
 */
export function errorResponse(problem: Problem, context: ErrorContext = {}): HttpResponse {
  const status = context.id === undefined ? problem.status : 200;
  const headers = { 'cache-control': 'no-store', ...problemHeaders(problem) };
  const response = jsonResponse(status, errorMessage(problem, context), headers);
  return { ...response, code: problem.code };
}
