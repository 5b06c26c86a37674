import { GraphQLError, type ExecutionResult } from 'graphql';
import * as v from 'valibot';
import { workMs } from '../../accounts/work-limit.ts';
import { invalidParameter, Problem } from '../../domain/problems.ts';
import type { Caller } from '../../execution/context.ts';
import type { Execution } from '../../execution/execution.ts';
import { countEntries } from '../../execution/field-lookups.ts';
import type { Operation } from '../../execution/operation.ts';
import { InvalidDocument } from '../../execution/result.ts';
import { isObject } from '../../shared/shapes.ts';
import { renderError, type ErrorOptions } from '../graphql/errors.ts';
import { responseJson } from '../graphql/response-json.ts';
import answers from './answers.json' with { type: 'json' };
import { shortened, type Shortened } from './shorten.ts';
import { answerOf, costText, described, optional, wholeNumber } from './shapes.ts';
import {
  creditsOf,
  readArguments,
  type GraphQuery,
  type SavedResult,
  type Tool,
  type ToolCall,
} from './tool.ts';

const defaultMaxCredits = 10;

const input = v.strictObject(
  {
    query: described(
      v.pipe(v.string('a GraphQL query'), v.nonEmpty('a GraphQL query')),
      'A GraphQL document with one query, such as `{ domain(name: "taken.test") { status } }`.',
    ),
    variables: optional(
      v.record(v.string(), v.unknown(), 'an object'),
      'The variables of the query, by their names.',
    ),
    max_credits: optional(
      wholeNumber('a whole number of credits, 0 or more', 0),
      `What the query may cost. If its price is higher, it is refused before it runs. The default is ${defaultMaxCredits}; 0 allows what is free.`,
    ),
  },
  'an object',
);

/** The tool `query_graph`: any query of the GraphQL API. */
export const queryGraph: Tool = {
  name: 'query_graph',
  title: 'Query the graph',
  description: `Runs a GraphQL query, for what the other tools do not answer: several names, sites and networks in one call, or single fields of them. Find the fields with \`search_schema\`; all others do not exist. A query costs what its fields cost, and is refused before it runs if that is more than \`max_credits\`. Only queries are allowed. Rules of the fields: \`available: null\` means unknown and must never be reported as available; \`confidence\` \`HEURISTIC\` is weaker, heuristic evidence; \`cautions\` lists what to check, such as brand or restricted TLDs; \`cached\` and \`checkedAt\` tell how old an answer is. A long answer is shortened, and \`omitted\` says where: select fewer fields, or fewer entries.`,
  input,
  output: answerOf(answers.query_graph),
  run,
};

async function run(args: unknown, call: ToolCall) {
  // Valibot takes a list for an object.
  if (isObject(args) && Array.isArray(args['variables']))
    throw invalidParameter('variables', 'variables must be an object.');

  const { query, variables, max_credits: maxCredits } = readArguments(input, args);
  const { data, cost } = await call.query({
    query,
    variables,
    maxCredits: maxCredits ?? defaultMaxCredits,
  });
  const { value, omitted } = data as Shortened;
  const answer = value as { readonly data: object; readonly errors?: readonly object[] };

  return {
    structured: { ...answer, ...(omitted.length > 0 && { omitted }), ...creditsOf(cost) },
    lines: [
      JSON.stringify(answer.data),
      ...(answer.errors ? [`Errors: ${JSON.stringify(answer.errors)}`] : []),
      ...(omitted.length > 0 ? [`Left out: ${omitted.join('; ')}`] : []),
      ...costText(cost),
    ],
  };
}

/**
 * Runs a query for a caller, as GraphQL over HTTP does, and shortens its result. Rejects with the
 * `Problem` of a query that has no data.
 */
export async function runQuery(
  execution: Execution,
  { query, variables, maxCredits }: GraphQuery,
  { account, payer, work }: Omit<Caller, 'signal'>,
  signal: AbortSignal,
  errorOptions: ErrorOptions,
): Promise<SavedResult> {
  let operation: Operation;
  try {
    operation = execution.prepare(query, { work }).coerce(variables);
  } catch (error) {
    throw problemOf(
      error instanceof InvalidDocument ? error.errors : [error],
      'query',
      errorOptions,
    );
  }

  if (operation.definition.operation !== 'query')
    throw new Problem('invalid_query', 'query must be a query: this tool only reads.', {
      param: 'query',
    });

  work.spend(workMs.names(countEntries(operation)));
  const result = await execution.run(
    operation,
    { account, payer, work, signal: () => signal },
    { mode: 'buffered', maxCredits },
    async (executed, { nextTurn }) => {
      const answer = answerTo(executed, operation, errorOptions);
      const { length } = await responseJson(answer, nextTurn);
      return { value: shortened(answer, length) };
    },
  );
  if ('error' in result) throw result.error;

  return { data: result.value, cost: result.cost };
}

/** Returns the data of a result, and its errors. Throws the problem of a result without data. */
function answerTo(
  { data, errors }: ExecutionResult,
  { variables }: Operation,
  options: ErrorOptions,
) {
  if (!data) throw problemOf(errors ?? [], variables ? undefined : 'variables', options);
  if (!errors) return { data };

  const rendered = errors.slice(0, maxErrors).map((error) => {
    const { message, path, extensions } = renderError(error, logged, options);
    return { code: extensions.code, message, ...(path && { path: path.join('.') }) };
  });

  return { data, errors: rendered };
}

const maxErrors = 10;

/** What the log contains about the query. */
const logged = { requestId: 'mcp', path: '/mcp' };

/** Returns errors of a query as one problem, with the code of the first. */
function problemOf(
  errors: readonly unknown[],
  param: string | undefined,
  options: ErrorOptions,
): Problem {
  const [cause] = errors;
  if (errors.length === 1 && cause instanceof Problem && !cause.param) return cause;

  const rendered = errors.slice(0, maxErrors).map((error) => {
    const { message, locations, extensions } = renderError(error, logged, options);
    const [at] = (locations ?? []) as readonly { readonly line: number; readonly column: number }[];
    const detail = at ? `${message} (line ${at.line}, column ${at.column})` : message;
    return { param: param ?? '', code: extensions.code, detail };
  });
  const [first] = rendered;

  return new Problem(first?.code ?? 'internal', first?.detail ?? 'The query has no result.', {
    param,
    ...(rendered.length > 1 && param !== undefined && { errors: rendered }),
    ...(cause instanceof GraphQLError && { cause }),
  });
}
