import type { Catalogue, Tld } from './catalogue.ts';
import { toUnicodeName } from './domain-name.ts';
import { tldSets } from './tld-sets.ts';
import { Problem } from '../problems.ts';

/** Which TLDs are wanted. */
export interface TldFilter {
  readonly first?: number | null | undefined;
  /** The label behind which the page begins. */
  readonly after?: string | null | undefined;
  /** A part of the label, as an A-label or a U-label. */
  readonly search?: string | null | undefined;
  /** A named set, with or without its `@`; its order holds. */
  readonly set?: string | null | undefined;
}

export interface TldPage {
  readonly tlds: readonly Tld[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount: number;
}

const defaultFirst = 50;
const mostFirst = 100;

/** A page of the catalogue. Throws `invalid_parameter` for a set or a cursor that there is not, or a page that is too large. */
export function tldPage(catalogue: Catalogue, { first, after, search, set }: TldFilter): TldPage {
  const size = first ?? defaultFirst;
  if (size < 0 || size > mostFirst) throw new Problem('invalid_parameter', `first takes 0 to ${mostFirst}.`, { param: 'first' });
  const matching = matches(inSet(catalogue.list(), set), search);
  const start = after === null || after === undefined ? 0 : matching.findIndex(({ label }) => label === after) + 1;
  if (start === 0 && typeof after === 'string')
    throw new Problem('invalid_parameter', 'after is no cursor of this list.', { param: 'after' });
  return {
    tlds: matching.slice(start, start + size),
    hasNextPage: matching.length > start + size,
    hasPreviousPage: start > 0,
    totalCount: matching.length,
  };
}

function inSet(tlds: readonly Tld[], set: string | null | undefined): readonly Tld[] {
  if (set === null || set === undefined) return tlds;
  const name = set.trim().replace(/^@/, '').toLowerCase();
  const members = Object.hasOwn(tldSets, name) ? tldSets[name] : undefined;
  if (!members) {
    throw new Problem('invalid_parameter', `There is no such set; there are @${Object.keys(tldSets).join(', @')}.`, { param: 'set' });
  }
  const byLabel = new Map(tlds.map((tld) => [tld.label, tld]));
  return members.tlds.flatMap((label) => byLabel.get(label) ?? []);
}

function matches(tlds: readonly Tld[], search: string | null | undefined): readonly Tld[] {
  const part = search?.trim().replace(/^\./, '').toLowerCase();
  return part ? tlds.filter(({ label }) => label.includes(part) || toUnicodeName(label).includes(part)) : tlds;
}
