import { Problem, problems, type ProblemCode } from '../problems.ts';
import { jsonReply, type Reply } from './call.ts';

/** What a failure is to the client; anything but a `Problem` is ours, and says nothing of itself. */
export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem('internal', 'The gateway failed; try again later.', { cause: error });
}

/** The problem as RFC 9457 JSON, for every door but GraphQL. */
export function problemReply(problem: Problem, { docsUrl, path, requestId }: { docsUrl: string; path: string; requestId: string }): Reply {
  const { title, status, retryable } = problems[problem.code];
  const body = {
    type: `${docsUrl}/errors#${problem.code}`,
    title,
    status,
    detail: problem.message,
    instance: path,
    code: problem.code,
    retryable,
    ...(problem.retryAfter !== undefined && { retry_after: problem.retryAfter }),
    request_id: requestId,
    ...(problem.param !== undefined && { param: problem.param }),
    ...(problem.errors && { errors: problem.errors }),
  };
  return jsonReply(status, body, { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...problemHeaders(problem) });
}

/** The problem as GraphQL's `extensions`. */
export function problemExtensions({ code, param, retryAfter }: Problem): { code: ProblemCode; param?: string; retryAfter?: number } {
  return { code, ...(param !== undefined && { param }), ...(retryAfter !== undefined && { retryAfter }) };
}

/** What a problem says in headers, at either door. */
export function problemHeaders({ retryAfter, allow }: Problem): Record<string, string> {
  return { ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }), ...(allow !== undefined && { allow }) };
}
