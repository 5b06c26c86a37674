import type { Problem } from '../problems.ts';
import type { Call, Reply } from './call.ts';
import { jsonResult } from './graphql-response.ts';
import { problemExtensions, problemHeaders } from './problem.ts';

/** A request that never reached GraphQL, said as GraphQL says it. */
export function graphqlRefusal(problem: Problem, call: Call): Reply {
  const error = { message: problem.message, extensions: problemExtensions(problem) };
  const reply = jsonResult(JSON.stringify({ errors: [error] }), problem.status, call);
  return { ...reply, headers: { ...reply.headers, ...problemHeaders(problem) } };
}
