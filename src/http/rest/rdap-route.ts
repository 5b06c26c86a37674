import { parseDomainName } from '../../domain/domain-name.ts';
import { Problem, type ProblemCode } from '../../domain/problems.ts';
import { wantsSnake } from './key-naming.ts';
import { rdapOperation } from './saved-operations.ts';
import {
  missing,
  readAs,
  readMaxAge,
  readParameters,
  type Parameters,
} from '../request/parameters.ts';
import { readAll } from '../request/collect-problems.ts';
import type { Prepared, RestRoute } from './rest-route.ts';
import { rowBody, type Row } from './rows.ts';

interface RecordRow extends Row {
  readonly problem: {
    readonly code: ProblemCode;
    readonly detail: string;
    readonly retryAfter: number | null;
  } | null;
  readonly rdap: { readonly nameservers: readonly string[]; readonly raw: unknown } | null;
}

/** `GET /v1/rdap`: one name with its registration. A registry that fails is a problem. */
export const rdapRoute: RestRoute = {
  path: '/v1/rdap',
  method: 'GET',
  operation: rdapOperation,
  patience: 'inOnePiece',
  read({ query, request }) {
    const parameters = readParameters(query);
    const { name, maxAge, snake } = readAll({
      type: () => refuseOtherTypes(parameters.one('type')),
      name: () => readName(parameters),
      maxAge: () => readMaxAge(parameters.one('max_age')),
      snake: () => wantsSnake(query, request.headers),
    });
    const { param, typed, domain } = name;
    return {
      namesParam: param,
      paramNames: { name: param },
      variables: { domain, maxAge },
      snake,
      body: bodyFor(typed),
    };
  },
};

/** The name, and the parameter that holds it: `domain`, or `query`. */
function readName({ one }: Parameters) {
  const values = { domain: one('domain'), query: one('query') };
  if (values.domain !== undefined && values.query !== undefined) {
    throw new Problem('invalid_parameter', 'Give domain or query, not both.', { param: 'query' });
  }
  const param = values.query === undefined ? 'domain' : 'query';
  const typed = values[param];
  if (typed === undefined) throw missing('domain');
  return { param, typed, domain: readAs(param, () => parseDomainName(typed)) };
}

function refuseOtherTypes(type: string | undefined): void {
  if (type === undefined || type.trim().toLowerCase() === 'domain') return;
  throw new Problem(
    'invalid_parameter',
    'type must be domain: only domain names can be looked up.',
    { param: 'type' },
  );
}

function bodyFor(input: string): Prepared['body'] {
  return (data) => {
    const { problem, rdap, ...row } = (data as { domain: RecordRow }).domain;
    if (problem)
      throw new Problem(
        problem.code,
        problem.detail,
        problem.retryAfter === null ? {} : { retryAfter: problem.retryAfter },
      );
    const { nameservers, raw, ...registration } = rdap ?? { nameservers: [], raw: null };
    return {
      rows: [row],
      body: { input, ...rowBody(row), nameservers, registration: rdap && registration, rdap: raw },
    };
  };
}
