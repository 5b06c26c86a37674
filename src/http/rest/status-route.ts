import { workMs } from '../../accounts/work-limit.ts';
import { maxAgeFrom } from '../messages/deprecations.ts';
import { parseEntry, splitEntry } from '../../domain/parsed-name.ts';
import { parseDomainName, parseLabel } from '../../domain/domain-name.ts';
import { csvMediaType } from '../../shared/csv.ts';
import { expandTldSet } from '../../domain/tld-sets.ts';
import { Problem } from '../../domain/problems.ts';
import type { AuthenticatedRequest } from '../http-request-context.ts';
import { preferredMediaType } from '../messages/media-types.ts';
import { requestsSnakeCase } from './key-naming.ts';
import { statusOperation } from './saved-operations.ts';
import {
  missingParameter,
  readParameter,
  readBudgetParameter,
  readConfirm,
  readMaxAgeParameter,
  readParameters,
  type QueryParameters,
} from '../messages/parameters.ts';
import { collectProblems } from '../messages/collect-problems.ts';
import type { ParsedRestRequest, RestRoute } from './rest-route.ts';
import { allCached, rowBody, summary, type RestRow } from './rows.ts';

/** `GET /v1/status`: one label under several TLDs, or full names. */
export function statusRoute(maxEntries: number): RestRoute {
  return {
    path: '/v1/status',
    method: 'GET',
    operation: statusOperation,
    responseMode: 'buffered',
    parse: (request) => parseRequest(request, maxEntries),
  };
}

function parseRequest(http: AuthenticatedRequest, maxEntries: number): ParsedRestRequest {
  const { query, usedAliases, request, work } = http;
  const parameters = readParameters(query);
  const { name, tlds, domains, maxAge, confirm, budgetMs, hasSnakeCaseKeys } = collectProblems({
    form: () => checkForm(query, parameters),
    name: () => readName(parameters.single('name')),
    tlds: () =>
      assertMaxEntries('tlds', parameters.list('tlds')?.flatMap(expandTldSet), maxEntries),
    domains: () => assertMaxEntries('domain', parameters.list('domain'), maxEntries),
    maxAge: () => maxAgeFrom(readMaxAgeParameter(parameters.single('max_age')), usedAliases),
    confirm: () => readConfirm(parameters.single('confirm')),
    budgetMs: () => readBudgetParameter(parameters.single('budget_ms')),
    hasSnakeCaseKeys: () => requestsSnakeCase(query, request.headers),
  });
  work.spend(workMs.names((tlds ?? domains ?? []).length));
  return {
    namesParam: domains ? 'domain' : 'tlds',
    paramNames: { domains: 'domain' },
    variables: { name: name?.rawInput, tlds, domains, maxAge, confirm, budgetMs },
    hasSnakeCaseKeys,
    body: createBody({
      label: name?.label,
      inputs: domains && distinctNames(domains),
      hasBudget: budgetMs !== undefined,
      isCsv: preferredMediaType(['application/json', csvMediaType], http) === csvMediaType,
    }),
  };
}

interface BodyOptions {
  /** The label in `name`, if it was sent. */
  readonly label: string | undefined;
  /** The entries of `domain` as they were sent, in row order, if it was sent. */
  readonly inputs: readonly string[] | undefined;
  readonly hasBudget: boolean;
  readonly isCsv: boolean;
}

/**
 * A separate function, because a closure in `parseRequest` would retain the query and the request
 * in memory.
 */
function createBody({ label, inputs, hasBudget, isCsv }: BodyOptions): ParsedRestRequest['body'] {
  return (data, durationMs) => {
    const { domains: rows } = data as { domains: readonly RestRow[] };
    const results = rows.map((row, index) => ({
      ...(inputs && { input: inputs[index] }),
      ...rowBody(row),
    }));
    const meta = summary(rows, { durationMs, hasBudget });
    return {
      csv: isCsv ? results : undefined,
      body: {
        name: label ?? singleLabel(rows),
        results,
        cached: allCached(rows),
        latency_ms: durationMs,
        meta,
      },
    };
  };
}

/** Returns the first entry for each name. */
function distinctNames(entries: readonly string[]): readonly string[] {
  return Array.from(
    Map.groupBy(entries, (entry) => parseEntry(entry).domain).values(),
    ([first = '']) => first,
  );
}

/** Returns the label if there is only one row and it is valid, or else null. */
function singleLabel([row, ...others]: readonly RestRow[]): string | null {
  return row && others.length === 0 && row.status !== 'INVALID'
    ? splitEntry(row.domain).label
    : null;
}

/** Checks that a request has either `name` and `tlds`, or `domain`. */
function checkForm(query: URLSearchParams, { hasList }: QueryParameters): void {
  const [name, tlds, domain] = [query.has('name'), hasList('tlds'), hasList('domain')];
  if (domain && (name || tlds))
    throw formProblem('Pass either `name` and `tlds`, or `domain`, not both.');
  if (!domain && !name && !tlds) throw formProblem('Pass either `name` and `tlds`, or `domain`.');
  if (!domain && !name) throw missingParameter('name');
  // A full name does not need `tlds`. It belongs in `domain`, which `readName` reports.
  if (!domain && !tlds && !isFullName(query.get('name'))) throw missingParameter('tlds');
}

function readName(rawInput: string | undefined): { rawInput: string; label: string } | undefined {
  if (rawInput === undefined) return undefined;
  try {
    return { rawInput, label: readParameter('name', () => parseLabel(rawInput)) };
  } catch (error) {
    if (!(error instanceof Problem) || !isFullName(rawInput)) throw error;
    throw new Problem(error.code, `Did you mean \`domain=\`? ${error.message}`, { param: 'name' });
  }
}

function isFullName(rawInput: string | null): boolean {
  if (rawInput === null) return false;
  try {
    return parseDomainName(rawInput) !== '';
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

function assertMaxEntries(
  param: string,
  list: readonly string[] | undefined,
  maxEntries: number,
): readonly string[] | undefined {
  if (list && list.length > maxEntries)
    throw new Problem(
      'too_many_tlds',
      `${param} has ${list.length} entries; the maximum is ${maxEntries}.`,
      {
        param,
      },
    );
  return list;
}

function formProblem(detail: string): Problem {
  return new Problem('invalid_parameter', detail, { param: 'domain' });
}
