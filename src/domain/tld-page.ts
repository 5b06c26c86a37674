import type { Catalogue, Tld } from './catalogue.ts';
import { toUnicodeName } from './domain-name.ts';
import { tldSets } from './tld-sets.ts';
import { Problem } from './problems.ts';

/** Which part of a list is wanted (Relay Cursor Connections). Cursors are labels. */
interface PageArguments {
  readonly first?: number | null | undefined;
  /** The label behind which the page begins. */
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  /** The label in front of which the page ends. */
  readonly before?: string | null | undefined;
}

/** Which TLDs are wanted. */
interface TldFilter extends PageArguments {
  /** A part of the label, as an A-label or a U-label. */
  readonly search?: string | null | undefined;
  /** A named set, with or without its `@`; its order holds. */
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

/** Returns a page of the catalogue. Throws `invalid_parameter` for an unknown set or cursor, and for a size that is negative or too large. */
export function tldPage(catalogue: Catalogue, { search, set, ...args }: TldFilter): TldPage {
  const last = pageSize('last', args.last);
  const first = pageSize('first', args.first) ?? (last === null ? defaultFirst : null);
  const matching = filterBySearch(tldsInSet(catalogue, set), search);
  const between = betweenCursors(matching, args);
  const start = between.slice(0, first ?? Infinity);
  const tlds = last === null ? start : start.slice(Math.max(start.length - last, 0));
  return {
    edges: tlds.map((node) => ({ cursor: node.label, node })),
    pageInfo: {
      // As in the specification: a TLD at a cursor lies outside the page, so that there is one beyond it.
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
    throw new Problem('invalid_parameter', `${param} takes 0 to ${maxPageSize}.`, { param });
  return size;
}

function isCursor(cursor: string | null | undefined): cursor is string {
  return typeof cursor === 'string';
}

/** The TLDs behind one cursor and in front of the other: none, where the second comes first. */
function betweenCursors(tlds: readonly Tld[], { after, before }: PageArguments): readonly Tld[] {
  const start = isCursor(after) ? indexAt('after', after, tlds) + 1 : 0;
  return tlds.slice(
    start,
    isCursor(before) ? Math.max(indexAt('before', before, tlds), start) : undefined,
  );
}

function indexAt(param: 'after' | 'before', cursor: string, tlds: readonly Tld[]): number {
  const index = tlds.findIndex(({ label }) => label === cursor);
  if (index === -1)
    throw new Problem('invalid_parameter', `${param} is not a cursor of this list.`, { param });
  return index;
}

function tldsInSet(catalogue: Catalogue, set: string | null | undefined): readonly Tld[] {
  if (set === null || set === undefined) return catalogue.list();
  const name = set.trim().replace(/^@/, '').toLowerCase();
  const members = Object.hasOwn(tldSets, name) ? tldSets[name] : undefined;
  if (!members) {
    throw new Problem(
      'invalid_parameter',
      `There is no such set; there are @${Object.keys(tldSets).join(', @')}.`,
      { param: 'set' },
    );
  }
  return members.tlds.flatMap((label) => catalogue.find(label) ?? []);
}

function filterBySearch(tlds: readonly Tld[], search: string | null | undefined): readonly Tld[] {
  const term = search?.trim().replace(/^\./, '').toLowerCase();
  return term
    ? tlds.filter(({ label }) => label.includes(term) || toUnicodeName(label).includes(term))
    : tlds;
}
