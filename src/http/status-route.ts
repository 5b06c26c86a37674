import { maxAgeFrom } from '../deprecations.ts';
import { parseLabel } from '../domain/domain-name.ts';
import { unfoldTld } from '../domain/tld-sets.ts';
import { Problem } from '../problems.ts';
import type { AdmittedCall } from './call.ts';
import { wantsSnake } from './naming.ts';
import { statusOperation } from './operations.ts';
import { missing, readAs, readMaxAge, readParameters } from './parameters.ts';
import { readAll } from './read-all.ts';
import type { Prepared, RestRoute } from './rest-reading.ts';
import { allCached, rowBody, type Row } from './rows.ts';

/** `GET /v1/status`: one label under TLDs, or whole names. */
export function statusRoute(maxTlds: number): RestRoute {
  return {
    path: '/v1/status',
    method: 'GET',
    operation: statusOperation,
    patience: 'inOnePiece',
    paramNames: { domains: 'domain' },
    read: (call) => read(call, maxTlds),
  };
}

function read({ query, aliases, request, work }: AdmittedCall, maxTlds: number): Prepared {
  const parameters = readParameters(query);
  const { name, tlds, domains, maxAge, snake } = readAll({
    form: () => refuseOtherForms(query),
    name: () => readName(parameters.one('name')),
    tlds: () => withinLimit('tlds', parameters.list('tlds')?.flatMap(unfoldTld), maxTlds),
    domains: () => withinLimit('domain', parameters.list('domain'), maxTlds),
    maxAge: () => maxAgeFrom(readMaxAge(parameters.one('max_age')), aliases),
    snake: () => wantsSnake(query, request.headers),
  });
  work.spend((tlds ?? domains ?? []).length);
  return {
    namesParam: domains ? 'domain' : 'tlds',
    variables: { name: name?.typed, tlds, domains, maxAge },
    snake,
    body: bodyFor(name?.label ?? null),
  };
}

/** Apart from the reading, which would keep the query and the request in memory with it. */
function bodyFor(name: string | null): Prepared['body'] {
  return (data, latencyMs) => {
    const { domains: rows } = data as { domains: readonly Row[] };
    return { rows, body: { name, results: rows.map(rowBody), cached: allCached(rows), latency_ms: latencyMs } };
  };
}

/** One label under TLDs, or whole names: neither both nor half of one. */
function refuseOtherForms(query: URLSearchParams): void {
  const [name, tlds, domain] = ['name', 'tlds', 'domain'].map((param) => query.has(param));
  if (domain && (name || tlds)) throw eitherForm('Give name and tlds, or domain, not both.');
  if (!domain && !name && !tlds) throw eitherForm('Give name and tlds, or domain.');
  if (!domain && !name) throw missing('name');
  if (!domain && !tlds) throw missing('tlds');
}

function readName(typed: string | undefined): { typed: string; label: string } | undefined {
  return typed === undefined ? undefined : { typed, label: readAs('name', () => parseLabel(typed)) };
}

function withinLimit(param: string, list: readonly string[] | undefined, most: number): readonly string[] | undefined {
  if (list && list.length > most) throw new Problem('too_many_tlds', `${param} holds ${list.length}; give at most ${most}.`, { param });
  return list;
}

function eitherForm(detail: string): Problem {
  return new Problem('invalid_parameter', detail, { param: 'domain' });
}
