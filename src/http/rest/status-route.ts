import { maxAgeFrom } from '../response/deprecations.ts';
import { askedEntry, partsOf } from '../../domain/parsed-name.ts';
import { parseDomainName, parseLabel } from '../../domain/domain-name.ts';
import { unfoldTld } from '../../domain/tld-sets.ts';
import { Problem } from '../../domain/problems.ts';
import type { AdmittedCall } from '../call.ts';
import { wantsSnake } from './key-naming.ts';
import { statusOperation } from './saved-operations.ts';
import {
  missing,
  readAs,
  readBudgetParameter,
  readMaxAge,
  readParameters,
  type Parameters,
} from '../request/parameters.ts';
import { readAll } from '../request/collect-problems.ts';
import type { Prepared, RestRoute } from './rest-route.ts';
import { allCached, rowBody, summary, type Row } from './rows.ts';

/** `GET /v1/status`: one label under TLDs, or whole names. */
export function statusRoute(maxTlds: number): RestRoute {
  return {
    path: '/v1/status',
    method: 'GET',
    operation: statusOperation,
    patience: 'inOnePiece',
    read: (call) => read(call, maxTlds),
  };
}

function read({ query, aliases, request, work }: AdmittedCall, maxTlds: number): Prepared {
  const parameters = readParameters(query);
  const { name, tlds, domains, maxAge, budgetMs, snake } = readAll({
    form: () => refuseOtherForms(query, parameters),
    name: () => readName(parameters.one('name')),
    tlds: () => withinLimit('tlds', parameters.list('tlds')?.flatMap(unfoldTld), maxTlds),
    domains: () => withinLimit('domain', parameters.list('domain'), maxTlds),
    maxAge: () => maxAgeFrom(readMaxAge(parameters.one('max_age')), aliases),
    budgetMs: () => readBudgetParameter(parameters.one('budget_ms')),
    snake: () => wantsSnake(query, request.headers),
  });
  work.spend((tlds ?? domains ?? []).length);
  return {
    namesParam: domains ? 'domain' : 'tlds',
    paramNames: { domains: 'domain' },
    variables: { name: name?.typed, tlds, domains, maxAge, budgetMs },
    snake,
    body: bodyFor({
      label: name?.label,
      inputs: domains && distinctNames(domains),
      hasBudget: budgetMs !== undefined,
    }),
  };
}

/** What the body is made from, beside the rows. */
interface Requested {
  /** The label of the form with `name`. */
  readonly label: string | undefined;
  /** The entries of `domain` as sent, in the order of their rows. */
  readonly inputs: readonly string[] | undefined;
  readonly hasBudget: boolean;
}

/** Apart from the reading, which would keep the query and the request in memory with it. */
function bodyFor({ label, inputs, hasBudget }: Requested): Prepared['body'] {
  return (data, durationMs) => {
    const { domains: rows } = data as { domains: readonly Row[] };
    const results = rows.map((row, index) => ({
      ...(inputs && { input: inputs[index] }),
      ...rowBody(row),
    }));
    const meta = summary(rows, { durationMs, hasBudget });
    return {
      rows,
      body: {
        name: label ?? onlyLabel(rows),
        results,
        cached: allCached(rows),
        latency_ms: durationMs,
        meta,
      },
    };
  };
}

/** Returns the entries that have a row of their own: of entries for the same name, the first. */
function distinctNames(entries: readonly string[]): readonly string[] {
  return Array.from(
    Map.groupBy(entries, (entry) => askedEntry(entry).domain).values(),
    ([first = '']) => first,
  );
}

/** Returns the label of the only row; null with several, or if the entry is not a name. */
function onlyLabel([row, ...others]: readonly Row[]): string | null {
  return row && others.length === 0 && row.status !== 'INVALID' ? partsOf(row.domain).label : null;
}

/** One label under TLDs, or whole names: neither both nor half of one. */
function refuseOtherForms(query: URLSearchParams, { hasList }: Parameters): void {
  const [name, tlds, domain] = [query.has('name'), hasList('tlds'), hasList('domain')];
  if (domain && (name || tlds)) throw eitherForm('Give name and tlds, or domain, not both.');
  if (!domain && !name && !tlds) throw eitherForm('Give name and tlds, or domain.');
  if (!domain && !name) throw missing('name');
  // A full name needs no `tlds`: the problem is that it is in `name`.
  if (!domain && !tlds && !isFullName(query.get('name'))) throw missing('tlds');
}

function readName(typed: string | undefined): { typed: string; label: string } | undefined {
  if (typed === undefined) return undefined;
  try {
    return { typed, label: readAs('name', () => parseLabel(typed)) };
  } catch (error) {
    if (!(error instanceof Problem) || !isFullName(typed)) throw error;
    throw new Problem(error.code, `Did you mean \`domain=\`? ${error.message}`, { param: 'name' });
  }
}

function isFullName(typed: string | null): boolean {
  if (typed === null) return false;
  try {
    return parseDomainName(typed) !== '';
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

function withinLimit(
  param: string,
  list: readonly string[] | undefined,
  most: number,
): readonly string[] | undefined {
  if (list && list.length > most)
    throw new Problem('too_many_tlds', `${param} holds ${list.length}; give at most ${most}.`, {
      param,
    });
  return list;
}

function eitherForm(detail: string): Problem {
  return new Problem('invalid_parameter', detail, { param: 'domain' });
}
