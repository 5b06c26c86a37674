import { parseDomainName, type DomainName } from '../domain/domain-name.ts';
import { Problem, type ProblemCode } from '../problems.ts';
import { wantsSnake } from './naming.ts';
import { rdapOperation } from './operations.ts';
import { missing, readAs, readMaxAge, readParameters } from './parameters.ts';
import { readAll } from './read-all.ts';
import type { Prepared, RestRoute } from './rest-reading.ts';
import { rowBody, type Row } from './rows.ts';

interface RecordRow extends Row {
  readonly problem: { readonly code: ProblemCode; readonly detail: string; readonly retryAfter: number | null } | null;
  readonly rdap: { readonly nameservers: readonly string[]; readonly raw: unknown } | null;
}

/** `GET /v1/rdap`: one name with its registration. A registry that fails is a problem. */
export const rdapRoute: RestRoute = {
  path: '/v1/rdap',
  method: 'GET',
  operation: rdapOperation,
  patience: 'inOnePiece',
  paramNames: { name: 'domain' },
  read({ query, request }) {
    const parameters = readParameters(query);
    const { domain, maxAge, snake } = readAll({
      domain: () => readDomain(parameters.one('domain')),
      maxAge: () => readMaxAge(parameters.one('max_age')),
      snake: () => wantsSnake(query, request.headers),
    });
    return { namesParam: 'domain', variables: { domain, maxAge }, snake, body };
  },
};

function readDomain(typed: string | undefined): DomainName {
  if (typed === undefined) throw missing('domain');
  return readAs('domain', () => parseDomainName(typed));
}

function body(data: unknown): ReturnType<Prepared['body']> {
  const { problem, rdap, ...row } = (data as { domain: RecordRow }).domain;
  if (problem) throw new Problem(problem.code, problem.detail, problem.retryAfter === null ? {} : { retryAfter: problem.retryAfter });
  const { nameservers, raw, ...registration } = rdap ?? { nameservers: [], raw: null };
  return { rows: [row], body: { ...rowBody(row), nameservers, registration: rdap && registration, rdap: raw } };
}
