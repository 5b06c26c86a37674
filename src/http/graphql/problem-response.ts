import type { Problem } from '../../domain/problems.ts';
import type { Call, Reply } from '../call.ts';
import { jsonResult } from './response.ts';
import { json } from '../request/media-types.ts';
import { problemExtensions, problemHeaders } from '../response/problem-response.ts';

/** A request that never reached GraphQL, said as GraphQL says it. */
export function graphqlRefusal(problem: Problem, call: Call): Reply {
  const reply = jsonResult(textOf(problem), problem.status, call);
  return { ...reply, headers: { ...reply.headers, ...problemHeaders(problem) } };
}

/** The same for every call, whatever its client prefers to read. */
export function graphqlRejection(problem: Problem): Reply {
  const headers = { 'content-type': json, 'cache-control': 'no-store', ...problemHeaders(problem) };
  return { status: problem.status, headers, body: textOf(problem) };
}

function textOf(problem: Problem): string {
  return JSON.stringify({
    errors: [{ message: problem.message, extensions: problemExtensions(problem) }],
  });
}
