import { Problem } from './problems.ts';
import { expandTldSet } from './tld-sets.ts';
import {
  rawInputOf,
  parseDomainName,
  parseLabel,
  parseLabels,
  parseSuffix,
  splitName,
  withoutLeadingDot,
  type DomainName,
} from './domain-name.ts';

/** One name that somebody asks for: read, or with what is wrong with it. */
export type ParsedName =
  | { readonly domain: DomainName; readonly rawInput?: string }
  | { readonly domain: string; readonly problem: Problem };

/** A single name, with its TLD apart or in it. */
export interface SingleName {
  readonly name: string;
  readonly tld?: string | null | undefined;
  readonly maxAge?: number | null | undefined;
}

/** The two forms of a search: one label under many TLDs, or whole names. */
export interface Search {
  readonly name?: string | null | undefined;
  readonly tlds?: readonly string[] | null | undefined;
  readonly domains?: readonly string[] | null | undefined;
  /** Milliseconds after which rows that are not known are given as they are. */
  readonly budgetMs?: number | null | undefined;
  readonly maxAge?: number | null | undefined;
}

/** Reads a single name. Throws `missing_parameter` or `invalid_name`. */
export function parseName({ name, tld }: SingleName): DomainName {
  if (name.trim() === '') throw missingParameter('name');
  if (tld === undefined || tld === null) return withParam('name', () => parseDomainName(name));
  if (tld.trim() === '') throw missingParameter('tld');
  const suffix = withParam('tld', () => parseSuffix(tld));
  return withParam('name', () => joinLabels(parseLabels(name), suffix));
}

/**
 * Returns a function for each entry of a search, in request order, that reads it: reading entries of other scripts is slow. An entry of a list
 * that is not a name is read with its problem. Throws for a bad label, and for a search in both forms or neither.
 */
export function entryParsers({ name, tlds, domains }: Search): readonly (() => ParsedName)[] {
  if (domains && (name != null || tlds))
    throw new Problem('invalid_parameter', 'Give name and tlds, or domains, not both.', {
      param: 'domains',
    });
  if (domains)
    return dedupe(requireNonEmpty('domains', domains)).map((entry) => () => parseEntry(entry));
  if (name == null && !tlds)
    throw new Problem('invalid_parameter', 'Give name and tlds, or domains.', { param: 'name' });
  if (name == null || name.trim() === '') throw missingParameter('name');
  const label = withParam('name', () => parseLabel(name));
  return dedupe(requireNonEmpty('tlds', tlds ?? []))
    .flatMap(expandTldSet)
    .map(
      (tld) => () =>
        parseOrProblem(rawInputOf(name, tld), () => joinLabels(label, parseSuffix(tld))),
    );
}

/** Returns each name once, where it first occurs. */
export function dedupeByDomain(names: readonly ParsedName[]): readonly ParsedName[] {
  const byDomain = new Map<string, ParsedName>();
  for (const name of names) if (!byDomain.has(name.domain)) byDomain.set(name.domain, name);
  return Array.from(byDomain.values());
}

/** Reads a whole name that stands in a list. */
export function parseEntry(entry: string): ParsedName {
  return parseOrProblem(rawInputOf(entry), () => parseDomainName(withoutLeadingDot(entry.trim())));
}

/** Reads a name and a TLD that are to be joined. */
export function parsePair(name: string, tld: string): ParsedName {
  return parseOrProblem(rawInputOf(name, tld), () =>
    joinLabels(parseLabels(name), parseSuffix(tld)),
  );
}

/** The oldest answer that will do, in seconds; undefined when the caller sets no limit. Throws `invalid_max_age`. */
export function validateMaxAge(maxAge: number | null | undefined): number | undefined {
  if (maxAge === null || maxAge === undefined) return undefined;
  if (maxAge < 0)
    throw new Problem('invalid_max_age', 'maxAge must be a number of seconds, 0 or more.', {
      param: 'maxAge',
    });
  return maxAge;
}

/** The milliseconds that a search may take; undefined when it may take its time. Throws `invalid_parameter`. */
export function validateBudget(budgetMs: number | null | undefined): number | undefined {
  if (budgetMs === null || budgetMs === undefined) return undefined;
  if (budgetMs < 0)
    throw new Problem(
      'invalid_parameter',
      'budgetMs must be a number of milliseconds, 0 or more.',
      { param: 'budgetMs' },
    );
  return budgetMs;
}

/** The first label and the rest, also of an entry that is no name. */
export function splitEntry(domain: string): { label: string; suffix: string } {
  return domain.includes('.') ? splitName(domain as DomainName) : { label: domain, suffix: '' };
}

/** What is joined is judged as one, once its parts were read: joined first, an empty one would be taken for a dot too many. */
function joinLabels(labels: string, suffix: string): DomainName {
  return parseDomainName(`${labels}.${suffix}`);
}

/** Each spelling once: reading a name costs more than comparing it. */
function dedupe(entries: readonly string[]): readonly string[] {
  return Array.from(new Map(entries.map((entry) => [entry.trim(), entry])).values());
}

function parseOrProblem(rawInput: string, parse: () => DomainName): ParsedName {
  try {
    return { domain: parse(), rawInput };
  } catch (error) {
    if (error instanceof Problem) return { domain: rawInput, problem: error };
    throw error;
  }
}

/** Says which parameter was at fault. */
function withParam<T>(param: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Problem) throw new Problem(error.code, error.message, { param });
    throw error;
  }
}

function requireNonEmpty<T>(param: string, list: readonly T[]): readonly T[] {
  if (list.length === 0) throw missingParameter(param);
  return list;
}

function missingParameter(param: string): Problem {
  return new Problem('missing_parameter', `${param} is missing or empty.`, { param });
}
