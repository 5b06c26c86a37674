import { Problem } from './problems.ts';
import { unfoldTld } from './tld-sets.ts';
import {
  asTyped,
  parseDomainName,
  parseLabel,
  parseLabels,
  parseSuffix,
  splitName,
  withoutFirstDot,
  type DomainName,
} from './domain-name.ts';

/** One name that somebody asks for: read, or with what is wrong with it. */
export type Asked =
  | { readonly domain: DomainName; readonly typed?: string }
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
export function askedName({ name, tld }: SingleName): DomainName {
  if (name.trim() === '') throw missing('name');
  if (tld === undefined || tld === null) return named('name', () => parseDomainName(name));
  if (tld.trim() === '') throw missing('tld');
  const suffix = named('tld', () => parseSuffix(tld));
  return named('name', () => joined(parseLabels(name), suffix));
}

/**
 * Returns a function for each entry of a search, in request order, that reads it: reading entries of other scripts is slow. An entry of a list
 * that is not a name is read with its problem. Throws for a bad label, and for a search in both forms or neither.
 */
export function entryReaders({ name, tlds, domains }: Search): readonly (() => Asked)[] {
  if (domains && (name != null || tlds))
    throw new Problem('invalid_parameter', 'Give name and tlds, or domains, not both.', {
      param: 'domains',
    });
  if (domains)
    return spelledOnce(nonEmpty('domains', domains)).map((entry) => () => askedEntry(entry));
  if (name == null && !tlds)
    throw new Problem('invalid_parameter', 'Give name and tlds, or domains.', { param: 'name' });
  if (name == null || name.trim() === '') throw missing('name');
  const label = named('name', () => parseLabel(name));
  return spelledOnce(nonEmpty('tlds', tlds ?? []))
    .flatMap(unfoldTld)
    .map((tld) => () => readOrProblem(asTyped(name, tld), () => joined(label, parseSuffix(tld))));
}

/** Returns each name once, where it first occurs. */
export function dedupeByDomain(names: readonly Asked[]): readonly Asked[] {
  const byDomain = new Map<string, Asked>();
  for (const name of names) if (!byDomain.has(name.domain)) byDomain.set(name.domain, name);
  return Array.from(byDomain.values());
}

/** Reads a whole name that stands in a list. */
export function askedEntry(entry: string): Asked {
  return readOrProblem(asTyped(entry), () => parseDomainName(withoutFirstDot(entry.trim())));
}

/** Reads a name and a TLD that are to be joined. */
export function askedPair(name: string, tld: string): Asked {
  return readOrProblem(asTyped(name, tld), () => joined(parseLabels(name), parseSuffix(tld)));
}

/** The oldest answer that will do, in seconds; undefined when the caller sets no limit. Throws `invalid_max_age`. */
export function askedAge(maxAge: number | null | undefined): number | undefined {
  if (maxAge === null || maxAge === undefined) return undefined;
  if (maxAge < 0)
    throw new Problem('invalid_max_age', 'maxAge must be a number of seconds, 0 or more.', {
      param: 'maxAge',
    });
  return maxAge;
}

/** The milliseconds that a search may take; undefined when it may take its time. Throws `invalid_parameter`. */
export function askedBudget(budgetMs: number | null | undefined): number | undefined {
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
export function partsOf(domain: string): { label: string; suffix: string } {
  return domain.includes('.') ? splitName(domain as DomainName) : { label: domain, suffix: '' };
}

/** What is joined is judged as one, once its parts were read: joined first, an empty one would be taken for a dot too many. */
function joined(labels: string, suffix: string): DomainName {
  return parseDomainName(`${labels}.${suffix}`);
}

/** Each spelling once: reading a name costs more than comparing it. */
function spelledOnce(entries: readonly string[]): readonly string[] {
  return Array.from(new Map(entries.map((entry) => [entry.trim(), entry])).values());
}

function readOrProblem(typed: string, read: () => DomainName): Asked {
  try {
    return { domain: read(), typed };
  } catch (error) {
    if (error instanceof Problem) return { domain: typed, problem: error };
    throw error;
  }
}

/** Says which parameter was at fault. */
function named<T>(param: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) throw new Problem(error.code, error.message, { param });
    throw error;
  }
}

function nonEmpty<T>(param: string, list: readonly T[]): readonly T[] {
  if (list.length === 0) throw missing(param);
  return list;
}

function missing(param: string): Problem {
  return new Problem('missing_parameter', `${param} is missing or empty.`, { param });
}
