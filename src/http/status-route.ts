import { aliasesUsed, maxAgeFrom } from '../deprecations.ts';
import { parseLabel } from '../domain/domain-name.ts';
import { Problem } from '../problems.ts';
import { statusOperation } from './operations.ts';
import { missing, readMaxAge, readParameters } from './parameters.ts';
import type { Prepared, RestRoute } from './rest.ts';
import { allCached, rowBody, type Row } from './rows.ts';

/** `GET /v1/status`: one label under TLDs, or whole names. */
export function statusRoute(maxTlds: number): RestRoute {
  return {
    path: '/v1/status',
    method: 'GET',
    operation: statusOperation,
    patience: 'inOnePiece',
    paramNames: { domains: 'domain' },
    read: ({ query }) => read(query, maxTlds),
  };
}

function read(query: URLSearchParams, maxTlds: number): Prepared {
  const parameters = readParameters(query);
  const name = parameters.one('name');
  const tlds = parameters.list('tlds');
  const domains = parameters.list('domain');
  if (domains && (name !== undefined || tlds)) throw eitherForm('Give name and tlds, or domain, not both.');
  if (!domains && name === undefined && !tlds) throw eitherForm('Give name and tlds, or domain.');
  if (!domains && name === undefined) throw missing('name');
  if (!domains && !tlds) throw missing('tlds');
  refuseLong('tlds', tlds, maxTlds);
  refuseLong('domain', domains, maxTlds);
  const label = name === undefined ? null : readLabel(name);
  return {
    namesParam: domains ? 'domain' : 'tlds',
    variables: { name, tlds, domains, maxAge: maxAgeFrom(readMaxAge(parameters.one('max_age')), aliasesUsed('/v1/status', query)) },
    body(data, latencyMs) {
      const { domains: rows } = data as { domains: readonly Row[] };
      return { rows, body: { name: label, results: rows.map(rowBody), cached: allCached(rows), latency_ms: latencyMs } };
    },
  };
}

function readLabel(name: string): string {
  try {
    return parseLabel(name);
  } catch (error) {
    throw error instanceof Problem ? new Problem(error.code, error.message, { param: 'name' }) : error;
  }
}

function refuseLong(param: string, list: readonly string[] | undefined, most: number): void {
  if (list && list.length > most) throw new Problem('too_many_tlds', `${param} holds ${list.length}; give at most ${most}.`, { param });
}

function eitherForm(detail: string): Problem {
  return new Problem('invalid_parameter', detail, { param: 'domain' });
}
