import { oncePerObject } from '../shared/memoize.ts';
import type { Accuracy } from './accuracy.ts';
import { tldOf, toUnicodeName } from './names/domain-name.ts';
import type { HostStatus } from './host-status.ts';
import type { Launch } from './launch.ts';
import type { OffersOf } from './offers.ts';
import { rankOf, type Policy, type PolicyKind } from './policy.ts';
import { invalidParameter } from './problems.ts';
import type { PublishedField } from './registration.ts';
import type { SourceInfo } from './source.ts';
import { tldTypeOf, tldSets, regionOf, type TldCategory } from './names/tld-sets.ts';

/** A TLD, or a longer suffix that has its own registry. */
export interface Tld {
  /** A-label, lower case. */
  readonly label: string;
  readonly policy: Policy;
  /** Returns the phase of its launch; null once it is open. */
  readonly launch: () => Launch | null;
  /** Which facts of registrations its registry publishes. */
  readonly publishes: Publishes;
  /** Host of its RDAP server; null without one. */
  readonly registryHost: string | null;
  /** Base URL of its RDAP server; null without one. */
  readonly rdapEndpoint: string | null;
  /** The sources that are queried, in order of preference; empty if its names cannot be looked up. */
  readonly sources: readonly SourceInfo[];
  /** Returns the current status of its server; null without one. */
  readonly health: () => HostStatus | null;
}

/** Which facts of registrations a registry publishes. */
export interface Publishes {
  /** From its documents and captured answers; null if that is not known. */
  readonly documented: Readonly<Record<PublishedField, boolean | null>>;
  /** Returns what this process has read in the last 30 days. */
  readonly observed: () => ObservedFields;
}

/** The facts that are stated by the registrations that this process has read. */
export interface ObservedFields {
  readonly registrations: number;
  /** The share of them with the fact, 0 to 1; null without any. */
  readonly shares: Readonly<Record<PublishedField, number | null>>;
}

/** A TLD whose names can be looked up. */
export interface CoveredTld extends Tld {
  readonly type: TldCategory;
}

/** Returns whether a source can prove that a name is available. The DNS alone cannot. */
export function provesAvailable({ sources }: Tld): boolean {
  return sources.some((source) => source.provesAvailable);
}

/**
 * How far the "not found" of a server is trusted for a suffix. `unproven`: it has never been seen to
 * find a name. `unconfirmed`: the last successful check is too old, and the one that is due was
 * inconclusive. `failing`: it does not find names that it must hold.
 */
export interface ServerTrust {
  readonly endpoint: string;
  readonly suffix: string;
  readonly trust: 'proven' | 'unproven' | 'unconfirmed' | 'failing';
}

/** All TLDs, with or without a source. */
export interface Catalogue {
  /** Returns the TLDs in alphabetical order. */
  list(): readonly Tld[];
  find(label: string): Tld | undefined;
  /** Returns the TLDs whose names can be looked up, in alphabetical order. */
  covered(): readonly CoveredTld[];
  /** Returns the source of the bootstrap document in use. */
  bootstrap(): BootstrapInfo;
  /** Returns whether registries can be reached, as far as this process has observed. */
  isNetworkReachable(): boolean;
  readonly offersOf: OffersOf;
  /** Returns the TLDs of which AVAILABLE answers were judged again, in alphabetical order. */
  accuracy(): readonly Accuracy[];
}

/** The source of a bootstrap document (RFC 9224). */
export interface BootstrapInfo {
  /**
   * Its URL without the query; `file` for a file, whose path clients must not see; `built-in` for
   * the built-in table.
   */
  readonly source: string;
  /** Its `publication` date, in RFC 3339; null without one. */
  readonly publishedAt: string | null;
}

/**
 * Returns the TLDs whose names can be looked up: not longer suffixes, and not `test`, which is not
 * in the root zone (RFC 6761).
 */
export function coveredTlds(tlds: readonly Tld[]): readonly CoveredTld[] {
  return tlds
    .filter(({ label, sources }) => sources.length > 0 && !label.includes('.') && label !== 'test')
    .map((tld) => ({ ...tld, type: tldTypeOf(tld.label) }));
}

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
  /** A substring of the A-label or the U-label, or what the TLD is about; up to 100 characters. */
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

export const defaultFirst = 50;
const maxPageSize = 100;
const maxSearchLength = 100;

/**
 * Returns a page of the catalogue. Throws `invalid_parameter` for an unknown set or cursor, a size
 * that is negative or too large, and a long search text.
 */
export function tldPage(catalogue: Catalogue, { set, ...args }: TldFilter): TldPage {
  const last = pageSize('last', args.last);
  const first = pageSize('first', args.first) ?? (last === null ? defaultFirst : null);
  const found = tldsInSet(catalogue, set).filter(predicateOf(args));
  const matching = closestFirst(found, termOf(args.search ?? ''));
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
  if (name === 'all') return mostUsefulFirst(catalogue.covered());

  const members = Object.hasOwn(tldSets, name) ? tldSets[name] : undefined;
  if (!members) {
    throw invalidParameter(
      'set',
      `Unknown set. The sets are @${Object.keys(tldSets).join(', @')} and @all.`,
    );
  }

  return members.tlds.flatMap((label) => catalogue.find(label) ?? []);
}

/**
 * Returns TLDs in the order in which most people would try them: open before restricted ones, then
 * by the number of registrars that sell their names, then short before long.
 */
const mostUsefulFirst = oncePerObject((tlds: readonly CoveredTld[]): readonly Tld[] =>
  tlds.toSorted(
    (one, other) =>
      rankOf(one.policy) - rankOf(other.policy) ||
      (other.policy.sellers ?? 0) - (one.policy.sellers ?? 0) ||
      toUnicodeName(one.label).length - toUnicodeName(other.label).length,
  ),
);

function predicateOf({ search, policy, ...filter }: TldFilter): (tld: Tld) => boolean {
  const isFound = searchPredicate(search ?? '');
  const policies = policy == null ? undefined : new Set(policy);
  return (tld) =>
    (policies?.has(tld.policy.kind) ?? true) &&
    (filter.provesAvailable == null || provesAvailable(tld) === filter.provesAvailable) &&
    isFound(tld);
}

const termOf = (search: string) => search.trim().replace(/^\./, '').toLowerCase();

/** Returns the TLD that a text is, those that begin with it, and then the others, in their order. */
function closestFirst(tlds: readonly Tld[], term: string): readonly Tld[] {
  if (term === '') return tlds;

  const distanceOf = ({ label }: Tld): number => {
    const names = [label, toUnicodeName(label)];
    if (names.includes(term)) return 0;
    return names.some((name) => name.startsWith(term)) ? 1 : 2;
  };

  return tlds.toSorted((one, other) => distanceOf(one) - distanceOf(other));
}

/**
 * Returns a function that returns whether a TLD contains a text, or is about it: each word is one of
 * the country or its main language, of a set, or of what a registrant needs.
 */
function searchPredicate(search: string): (tld: Tld) => boolean {
  if (search.length > maxSearchLength)
    throw invalidParameter('search', `search must have at most ${maxSearchLength} characters.`);

  const term = termOf(search);
  const words = wordsOf(term);

  return (tld) =>
    tld.label.includes(term) ||
    toUnicodeName(tld.label).includes(term) ||
    (words.length > 0 && words.every((word) => meaningOf(tld).has(word)));
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
