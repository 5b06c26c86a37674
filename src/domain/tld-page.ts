import { oncePerObject } from '../shared/memoize.ts';
import { provesAvailable, type Catalogue, type Tld } from './catalogue.ts';
import { tldOf, toUnicodeName } from './domain-name.ts';
import type { PolicyKind } from './policy.ts';
import { invalidParameter } from './problems.ts';
import { tldSets, regionOf } from './tld-sets.ts';

/** Pagination arguments (Relay Cursor Connections). Cursors are labels. */
interface PageArguments {
  readonly first?: number | null | undefined;
  /** The page starts after this label. */
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  /** The page ends before this label. */
  readonly before?: string | null | undefined;
}

interface TldFilter extends PageArguments {
  /** A substring of the A-label or the U-label, or what the TLD is about. */
  readonly search?: string | null | undefined;
  readonly provesAvailable?: boolean | null | undefined;
  readonly policy?: readonly PolicyKind[] | null | undefined;
  /** A named set, with or without `@`, whose order is preserved; `all` for the TLDs that can be looked up. */
  readonly set?: string | null | undefined;
}

/** A page of TLDs, as a Relay connection. */
interface TldPage {
  readonly edges: { readonly cursor: string; readonly node: Tld }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly totalCount: number;
}

const defaultFirst = 50;
const maxPageSize = 100;

/**
 * Returns a page of the catalogue. Throws `invalid_parameter` for an unknown set or cursor, and for
 * a size that is negative or too large.
 */
export function tldPage(catalogue: Catalogue, { set, ...args }: TldFilter): TldPage {
  const last = pageSize('last', args.last);
  const first = pageSize('first', args.first) ?? (last === null ? defaultFirst : null);
  const matching = tldsInSet(catalogue, set).filter(predicateOf(args));
  const between = betweenCursors(matching, args);
  const start = between.slice(0, first ?? Infinity);
  const tlds = last === null ? start : start.slice(Math.max(start.length - last, 0));
  return {
    edges: tlds.map((node) => ({ cursor: node.label, node })),
    pageInfo: {
      // The TLD at a cursor is outside the page, so there is at least one more (Relay
      // specification).
      hasNextPage: first === null ? isCursor(args.before) : between.length > first,
      hasPreviousPage: last === null ? isCursor(args.after) : between.length > last,
      startCursor: tlds[0]?.label ?? null,
      endCursor: tlds.at(-1)?.label ?? null,
    },
    totalCount: matching.length,
  };
}

function pageSize(param: 'first' | 'last', size: number | null | undefined): number | null {
  if (size === null || size === undefined) return null;
  if (size < 0 || size > maxPageSize)
    throw invalidParameter(param, `${param} must be from 0 to ${maxPageSize}.`);
  return size;
}

function isCursor(cursor: string | null | undefined): cursor is string {
  return typeof cursor === 'string';
}

/** Returns the TLDs between two cursors; none if they are in reverse order. */
function betweenCursors(tlds: readonly Tld[], { after, before }: PageArguments): readonly Tld[] {
  const start = isCursor(after) ? indexAt('after', after, tlds) + 1 : 0;
  return tlds.slice(
    start,
    isCursor(before) ? Math.max(indexAt('before', before, tlds), start) : undefined,
  );
}

function indexAt(param: 'after' | 'before', cursor: string, tlds: readonly Tld[]): number {
  const index = tlds.findIndex(({ label }) => label === cursor);
  if (index === -1) throw invalidParameter(param, `${param} is not a valid cursor for this list.`);
  return index;
}

function tldsInSet(catalogue: Catalogue, set: string | null | undefined): readonly Tld[] {
  if (set === null || set === undefined) return catalogue.list();
  const name = set.trim().replace(/^@/, '').toLowerCase();
  if (name === 'all') return catalogue.covered();
  const members = Object.hasOwn(tldSets, name) ? tldSets[name] : undefined;
  if (!members) {
    throw invalidParameter(
      'set',
      `Unknown set. The sets are @${Object.keys(tldSets).join(', @')} and @all.`,
    );
  }
  return members.tlds.flatMap((label) => catalogue.find(label) ?? []);
}

function predicateOf({ search, policy, ...filter }: TldFilter): (tld: Tld) => boolean {
  const term = search?.trim().replace(/^\./, '').toLowerCase() ?? '';
  return (tld) =>
    (policy == null || policy.includes(tld.policy.kind)) &&
    (filter.provesAvailable == null || provesAvailable(tld) === filter.provesAvailable) &&
    (term === '' || matchesTld(tld, term));
}

/**
 * Returns whether a TLD contains a text, or is about it: each word is one of the country or its main
 * language, of a set, or of what a registrant needs.
 */
function matchesTld(tld: Tld, search: string): boolean {
  const { label } = tld;
  if (label.includes(search) || toUnicodeName(label).includes(search)) return true;
  const words = wordsOf(search);
  return words.length > 0 && words.every((word) => meaningOf(tld).has(word));
}

/** Returns the words for what a TLD is about. */
const meaningOf = oncePerObject(({ label, policy }: Tld): ReadonlySet<string> => {
  const sets = Object.entries(tldSets).filter(([, { tlds }]) => tlds.includes(label));
  const region = regionOf(tldOf(label));
  const texts = [
    ...sets.flatMap(([name, { reason }]) => [name, reason]),
    policy.reason,
    ...(region === undefined ? [] : ['country code', ...namesOf(region)]),
  ];
  return new Set(wordsOf(texts.join(' ')));
});

/** Returns the English names of a country and of its main language. */
function namesOf(region: string): readonly (string | undefined)[] {
  const { language } = new Intl.Locale(`und-${region}`).maximize();
  return [
    new Intl.DisplayNames('en', { type: 'region' }).of(region),
    new Intl.DisplayNames('en', { type: 'language' }).of(language),
  ];
}

/** Returns the words of a text in lower case, without accents. */
function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\d]+/gu) ?? []
  );
}
