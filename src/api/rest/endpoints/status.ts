import { workMs } from '../../../accounts/work-limit.ts';
import { parseDomainName, parseLabel } from '../../../domain/names/domain-name.ts';
import { parseEntry, splitEntry } from '../../../domain/names/parsed-name.ts';
import {
  missingParameter,
  Problem,
  resultOrProblem,
  invalidParameter,
} from '../../../domain/problems.ts';
import { expandTldSet } from '../../../domain/names/tld-sets.ts';
import { csvMediaType } from '../../../shared/csv.ts';
import type { AuthenticatedRequest } from '../../../server/http-request-context.ts';
import { preferredMediaType } from '../../../server/messages/media-types.ts';
import { type QueryParameters } from '../../../server/messages/parameters.ts';
import { endpoint, type ParsedRestRequest } from '../endpoint.ts';
import { readRequest } from '../key-naming.ts';
import { parametersNamed, readFlag } from '../parameters.ts';
import {
  csvAlternative,
  fullStatusOperation,
  inputSchema,
  maxAgeAliases,
  rowBody,
  statusRowSchema,
  rowsBody,
  statusOperation,
  summaryOf,
  type RestRow,
} from '../rows.ts';
import * as shape from '../shape.ts';

/** `GET /v1/status`: one label under several TLDs, or full names. */
export const status = endpoint('GET /v1/status', {
  tag: 'Names',
  summary: 'Check the availability of names',
  description:
    'Checks one label under many TLDs (`name`, `tlds`), or full domain names (`domain`). If a registry fails or an entry is not a valid name, the row has a `reason` and a `detail`, and the response is still 200. With `Accept: text/csv`, the results are CSV with a header. A call may contain at most 50 TLDs or names; the operator may set another limit (`MAX_TLDS`).',
  example: 'name=taken&tlds=test,zz',
  success: 'The result of each lookup.',
  parameters: parametersNamed(
    'name',
    'tlds',
    'domains',
    'max_age',
    'confirm',
    'budget_ms',
    'evidence',
  ),
  aliases: maxAgeAliases,
  problems: [
    'missing_parameter',
    'invalid_parameter',
    'invalid_name',
    'invalid_max_age',
    'invalid_naming',
    'too_many_tlds',
    'too_many_lookups',
    'insufficient_credits',
  ],
  operation: statusOperation,
  schema: ({ types, propertiesOf }) => {
    const properties = propertiesOf(fullStatusOperation);
    types['Row'] = statusRowSchema({ input: inputSchema, ...properties }, ['input']);
    return shape.schemaRef('Status');
  },
  alternatives: { 'text/csv': csvAlternative },
  parse: (request, { maxTlds }) => parseRequest(request, maxTlds),
});

function parseRequest(http: AuthenticatedRequest, maxEntries: number): ParsedRestRequest {
  const { name, tlds, domains, maxAge, confirm, budgetMs, evidence, hasSnakeCaseKeys } =
    readRequest(http, (parameters) => {
      const { single, list, hasList } = parameters;
      return {
        form: () => checkForm(http.query, hasList),
        name: () => readName(single('name')),
        tlds: () => assertMaxEntries('tlds', list('tlds')?.flatMap(expandTldSet), maxEntries),
        domains: () => assertMaxEntries('domain', list('domain'), maxEntries),
        evidence: () => http.query.has('evidence') && readFlag('evidence', parameters, false),
        maxAge: parameters.maxAge,
        confirm: parameters.confirm,
        budgetMs: parameters.budgetMs,
      };
    });
  http.work.spend(workMs.names((tlds ?? domains ?? []).length));

  return {
    names: { namesParam: domains ? 'domain' : 'tlds', paramNames: { domains: 'domain' } },
    operation: evidence ? fullStatusOperation : statusOperation,
    variables: { name: name?.rawInput, tlds, domains, maxAge, confirm, budgetMs },
    hasSnakeCaseKeys,
    render: createBody(
      name?.label,
      domains && distinctNames(domains),
      budgetMs !== undefined,
      preferredMediaType(['application/json', csvMediaType], http) === csvMediaType,
    ),
  };
}

/**
 * Returns the function that builds the body. `inputs`: the entries of `domain` as they were sent, in
 * row order, if it was sent. A separate function, because a closure in `parseRequest` would retain
 * the query and the request in memory.
 */
function createBody(
  label: string | undefined,
  inputs: readonly string[] | undefined,
  hasBudget: boolean,
  isCsv: boolean,
): ParsedRestRequest['render'] {
  return (data, durationMs) => {
    const { domains: rows } = data as { domains: readonly RestRow[] };
    const results = rows.map((row, index) => ({
      ...(inputs && { input: inputs[index] }),
      ...rowBody(row),
    }));
    const answer = { rows, durationMs, hasBudget };

    return {
      csv: isCsv ? results : undefined,
      body: {
        name: label ?? singleLabel(rows),
        results,
        ...rowsBody(answer),
        meta: summaryOf(answer),
      },
    };
  };
}

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
function checkForm(query: URLSearchParams, hasList: QueryParameters['hasList']): void {
  const [name, tlds, domain] = [query.has('name'), hasList('tlds'), hasList('domain')];
  if (domain && (name || tlds))
    throw invalidParameter('domain', 'Pass either `name` and `tlds`, or `domain`, not both.');
  if (!domain && !name && !tlds)
    throw invalidParameter('domain', 'Pass either `name` and `tlds`, or `domain`.');
  if (!domain && !name) throw missingParameter('name');

  // A full name does not need `tlds`. It belongs in `domain`, which `readName` reports.
  if (!domain && !tlds && !isFullName(query.get('name'))) throw missingParameter('tlds');
}

function readName(rawInput: string | undefined): { rawInput: string; label: string } | undefined {
  if (rawInput === undefined) return undefined;
  try {
    return { rawInput, label: parseLabel(rawInput, 'name') };
  } catch (error) {
    if (!(error instanceof Problem) || !isFullName(rawInput)) throw error;
    const hint = 'Did you mean `domain=`? ';
    throw new Problem(error.code, hint + error.message, { param: 'name' });
  }
}

function isFullName(rawInput: string | null): boolean {
  return (
    rawInput !== null && !(resultOrProblem(() => parseDomainName(rawInput)) instanceof Problem)
  );
}

function assertMaxEntries(
  param: string,
  list: readonly string[] | undefined,
  maxEntries: number,
): readonly string[] | undefined {
  if (!list || list.length <= maxEntries) return list;
  const detail = `${param} has ${list.length} entries; the maximum is ${maxEntries}.`;
  throw new Problem('too_many_tlds', detail, { param });
}
