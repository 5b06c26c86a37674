import type { Directory } from '../directory.ts';
import { missingParameter, Problem, invalidParameter } from '../problems.ts';
import { isSharedSecondLevel } from '../policy.ts';
import type { Confirm } from '../source.ts';
import { expandSet, tldSets } from './tld-sets.ts';
import {
  rawInputOf,
  parseDomainName,
  parseLabel,
  parseLabels,
  parseSuffix,
  splitName,
  withoutLeadingDot,
  type DomainName,
  type SplitName,
} from './domain-name.ts';

/** A requested name, or an entry that is not a name, with its problem. */
export type ParsedName = (
  | { readonly domain: DomainName; readonly rawInput?: string }
  | { readonly domain: string; readonly problem: Problem }
) & {
  /** The entries that requested it, as they were sent; undefined if it has no other spelling. */
  readonly inputs?: readonly string[];
};

/** A single name; `tld` is either separate or part of `name`. */
export interface SingleName {
  readonly name: string;
  readonly tld?: string | null | undefined;
  readonly maxAge?: number | null | undefined;
}

/** The names of a search as one argument: full domain names, or one label under many TLDs. */
interface SearchedNames {
  readonly names?: readonly string[] | null | undefined;
  readonly search?: { readonly label: string; readonly tlds: readonly string[] } | null | undefined;
}

/** A search, in one of two forms: one label under many TLDs, or full domain names. */
export interface Search {
  /** Either form, instead of `name`, `tlds` and `domains`. */
  readonly by?: SearchedNames | null | undefined;
  readonly name?: string | null | undefined;
  readonly tlds?: readonly string[] | null | undefined;
  readonly domains?: readonly string[] | null | undefined;
  /** Milliseconds after which unfinished rows are returned as PENDING. */
  readonly budgetMs?: number | null | undefined;
  readonly confirm?: Confirm | null | undefined;
  readonly maxAge?: number | null | undefined;
}

/** Returns a text that is equal for equal arguments: JSON writes absent ones as null. */
export function singleNameKey({ name, tld, maxAge }: SingleName): string {
  return JSON.stringify(['domain', name, tld, maxAge]);
}

/** Returns a text that is equal for equal arguments: JSON writes absent ones as null. */
export function searchKey(search: Search): string {
  const { name, tlds, domains, by, budgetMs, maxAge } = search;
  const { names, search: labelled } = by ?? {};
  const forms = [name, tlds, domains, names, labelled?.label, labelled?.tlds];
  return JSON.stringify(['domains', ...forms, budgetMs, maxAge]);
}

/** Returns the names of a search in the form of its separate arguments. */
function searchedNames({
  by,
  name,
  tlds,
  domains,
}: Search): Pick<Search, 'name' | 'tlds' | 'domains'> {
  if (!by) return { name, tlds, domains };
  return { name: by.search?.label, tlds: by.search?.tlds, domains: by.names };
}

/** Parses a single name. Throws `missing_parameter` or `invalid_name`. */
export function parseName({ name, tld }: SingleName): DomainName {
  if (name.trim() === '') throw missingParameter('name');
  if (tld === undefined || tld === null) return parseDomainName(name, 'name');
  if (tld.trim() === '') throw missingParameter('tld');
  return joinLabels(name, parseSuffix(tld, 'tld'), 'name');
}

/**
 * Returns one parser per entry of a search, in request order; parsing is deferred because non-ASCII
 * entries are slow to parse. An entry that is not a name is parsed to its problem. Throws if `name`
 * is not a label, and for a search in both forms or neither.
 */
export function entryParsers(search: Search): readonly (() => ParsedName)[] {
  if (search.by && (search.name != null || search.tlds || search.domains))
    throw invalidParameter('by', 'Pass either by, or name, tlds and domains, not both.');

  const params = search.by ? paramsOfBy : { name: 'name', tlds: 'tlds', domains: 'domains' };
  const { name, tlds, domains } = searchedNames(search);
  if (domains && (name != null || tlds))
    throw invalidParameter('domains', 'Pass either name and tlds, or domains, not both.');
  if (domains)
    return dedupe(requireNonEmpty(params.domains, domains)).map((entry) => () => parseEntry(entry));
  if (name == null && !tlds)
    throw invalidParameter('name', 'Pass either name and tlds, or domains.');
  if (name == null || name.trim() === '') throw missingParameter(params.name);

  parseLabel(name, params.name);
  const suffixes = dedupe(requireNonEmpty(params.tlds, tlds)).flatMap((entry) =>
    expandSet(tldSets, entry, params.tlds),
  );
  return suffixes.map(
    (tld) => () => parseOrProblem(rawInputOf(name, tld), () => parseUnder(name, parseSuffix(tld))),
  );
}

/** The paths of the members of `by`. */
const paramsOfBy = { name: 'by.search.label', tlds: 'by.search.tlds', domains: 'by.names' };

/** Returns each distinct name once, in the order of first occurrence, with all of its spellings. */
export function dedupeByDomain(names: readonly ParsedName[]): readonly ParsedName[] {
  const byDomain = Map.groupBy(names, ({ domain }) => domain);
  return Array.from(byDomain.values()).flatMap(([name, ...others]) => {
    if (!name || others.length === 0) return name ?? [];
    const inputs = [name, ...others].flatMap((each) => each.inputs ?? []);
    return { ...name, inputs: [...new Set(inputs)] };
  });
}

/** Parses an entry of a list of full domain names. */
export function parseEntry(entry: string): ParsedName {
  return {
    ...parseOrProblem(rawInputOf(entry), () => parseDomainName(withoutLeadingDot(entry.trim()))),
    inputs: [entry],
  };
}

/** Parses a name and a TLD given separately. */
export function parsePair(name: string, tld: string): ParsedName {
  return parseOrProblem(rawInputOf(name, tld), () => joinLabels(name, parseSuffix(tld)));
}

/**
 * Returns the maximum age of an answer, in seconds; undefined without a limit. Throws
 * `invalid_max_age`.
 */
export function validateMaxAge(maxAge: number | null | undefined): number | undefined {
  if (maxAge === null || maxAge === undefined) return undefined;
  if (maxAge < 0)
    throw new Problem('invalid_max_age', 'maxAge must be a number of seconds, at least 0.', {
      param: 'maxAge',
    });
  return maxAge;
}

/**
 * Returns the time budget of a search, in milliseconds; undefined without one. Throws
 * `invalid_parameter`.
 */
export function validateBudget(budgetMs: number | null | undefined): number | undefined {
  if (budgetMs === null || budgetMs === undefined) return undefined;
  if (budgetMs < 0)
    throw invalidParameter('budgetMs', 'budgetMs must be a number of milliseconds, at least 0.');
  return budgetMs;
}

/** Splits a name, or an entry that is not a name, at its first dot. */
export function splitEntry(entry: string): Pick<SplitName, 'label' | 'suffix'> {
  const dot = entry.indexOf('.');
  return dot === -1
    ? { label: entry, suffix: '' }
    : { label: entry.slice(0, dot), suffix: entry.slice(dot + 1) };
}

const hostOrUrl =
  /^(?:[a-z][a-z\d+.-]*:\/\/(?:[^\s/?#@]*@)?)?([^\s/?#:@]+)(?::\d*)?(?:[/?#]\S*)?$/i;
const maxHostLength = 512;
/** A registrable name has at most one label more than a suffix, which has at most four. */
const maxLabels = 5;

/**
 * Returns the name to which a host name, or the host of a URL, belongs: `https://www.example.co.uk/`
 * → `example.co.uk`. Null for anything else, and if no registry is known for it.
 */
export function registrableNameOf(entry: string, directory: Directory): DomainName | null {
  const host = hostOrUrl.exec(entry.trim())?.[1]?.replace(/[.。．｡]$/, '') ?? '';
  const labels = host.length > maxHostLength ? [] : host.split(/[.。．｡]/);
  const first = labels.length > 3 && isSharedSecondLevel(labels.slice(-2).join('.')) ? 3 : 2;
  for (let count = first; count <= Math.min(labels.length, maxLabels); count++) {
    const name = parseEntry(labels.slice(-count).join('.'));
    if ('problem' in name) return null;
    if ('registry' in directory.resolve(splitName(name.domain))) return name.domain;
  }

  return null;
}

/**
 * Validates the joined name as one. Its parts are parsed first: otherwise, an empty part would read
 * as an extra dot.
 */
function joinLabels(labels: string, suffix: string, param?: string): DomainName {
  parseLabels(labels, param);
  return parseUnder(labels, suffix, param);
}

/** Parses valid labels, as typed, under a suffix: whether they may contain emoji depends on it. */
function parseUnder(labels: string, suffix: string, param?: string): DomainName {
  return parseDomainName(rawInputOf(labels, suffix), param);
}

/** Returns each spelling once, because parsing costs more than comparing. */
function dedupe(entries: readonly string[]): readonly string[] {
  return Array.from(new Set(entries));
}

function parseOrProblem(rawInput: string, parse: () => DomainName): ParsedName {
  const inputs = [rawInput];
  try {
    return { domain: parse(), rawInput, inputs };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { domain: rawInput, problem: error, inputs };
  }
}

/** Returns a list. Throws `missing_parameter` if it is absent or empty. */
export function requireNonEmpty<T>(
  param: string,
  list: readonly T[] | null | undefined,
): readonly T[] {
  if (!list || list.length === 0) throw missingParameter(param);
  return list;
}
