import { parseDomainName } from '../../domain/domain-name.ts';
import { Problem, type ProblemCode } from '../../domain/problems.ts';
import { requestsSnakeCase } from './key-naming.ts';
import { rdapOperation } from './saved-operations.ts';
import {
  missingParameter,
  readParameter,
  readMaxAgeParameter,
  readParameters,
  type QueryParameters,
} from '../request/parameters.ts';
import { collectProblems } from '../request/collect-problems.ts';
import type { ParsedRestRequest, RestRoute } from './rest-route.ts';
import { rowBody, type RestRow } from './rows.ts';

interface RecordRow extends RestRow {
  readonly problem: {
    readonly code: ProblemCode;
    readonly detail: string;
    readonly retryAfter: number | null;
  } | null;
  readonly rdap: { readonly nameservers: readonly string[]; readonly raw: unknown } | null;
}

/**
 * `GET /v1/rdap`: one name with its registration. Without a verdict, the response is a problem; with
 * a verdict but no record (`no_rdap`), it has the member `problem`.
 */
export const rdapRoute: RestRoute = {
  path: '/v1/rdap',
  method: 'GET',
  operation: rdapOperation,
  responseMode: 'buffered',
  parse({ query, request }) {
    const parameters = readParameters(query);
    const { name, maxAge, hasSnakeCaseKeys } = collectProblems({
      type: () => checkType(parameters.single('type')),
      name: () => readName(parameters),
      maxAge: () => readMaxAgeParameter(parameters.single('max_age')),
      hasSnakeCaseKeys: () => requestsSnakeCase(query, request.headers),
    });
    const { param, rawInput, domain } = name;
    return {
      namesParam: param,
      paramNames: { name: param },
      variables: { domain, maxAge },
      hasSnakeCaseKeys,
      body: createBody(rawInput),
    };
  },
};

/** Returns the name and the parameter that contains it, `domain` or `query`. */
function readName({ single }: QueryParameters) {
  const values = { domain: single('domain'), query: single('query') };
  if (values.domain !== undefined && values.query !== undefined) {
    throw new Problem('invalid_parameter', 'Pass either `domain` or `query`, not both.', {
      param: 'query',
    });
  }
  const param = values.query === undefined ? 'domain' : 'query';
  const rawInput = values[param];
  if (rawInput === undefined) throw missingParameter('domain');
  return { param, rawInput, domain: readParameter(param, () => parseDomainName(rawInput)) };
}

function checkType(type: string | undefined): void {
  if (type === undefined || type.trim().toLowerCase() === 'domain') return;
  throw new Problem(
    'invalid_parameter',
    'type must be domain: only domain names can be looked up.',
    { param: 'type' },
  );
}

function createBody(input: string): ParsedRestRequest['body'] {
  return (data) => {
    const { problem, rdap, ...row } = (data as { domain: RecordRow }).domain;
    if (problem && row.available === null)
      throw new Problem(
        problem.code,
        problem.detail,
        problem.retryAfter === null ? {} : { retryAfter: problem.retryAfter },
      );
    const { nameservers, raw, ...registration } = rdap ?? { nameservers: [], raw: null };
    return {
      rows: [row],
      body: {
        input,
        ...rowBody(row),
        nameservers,
        registration: rdap && registration,
        rdap: raw,
        ...(problem && { problem: { code: problem.code, detail: problem.detail } }),
      },
    };
  };
}
