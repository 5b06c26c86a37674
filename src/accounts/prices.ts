import type { DomainName } from '../domain/domain-name.ts';
import type { Wish } from '../wish.ts';

/** What so many names cost in credits, by how they are asked for: from the dearest way to the cheapest. */
export const prices = {
  /** A registration: `/v1/rdap`, or `rdap` selected, wherever the name stands. */
  record: (names: number) => 2 * names,
  /** One name, also as a search under one TLD or a list of one. */
  single: (names: number) => names,
  /** Whole names, by the list: half a credit a name beside one for the list. */
  list: (names: number) => (names > 1 ? Math.ceil(1 + names / 2) : names),
  /** One label under TLDs, by the search. */
  search: (names: number) => Math.ceil(names / 50),
} as const;

/**
 * What an operation costs, before it runs. Names that `isFree` (`.test`, and those that nobody can be asked about) and entries that are no
 * names cost nothing and count for nothing.
 *
 * A name is charged once an operation, at the dearest it is asked for: as a record if any field wants its record; else as a single name if
 * any field asks for it alone; else in the first list that holds it; else in the first search. Each list and each search is then priced by
 * the names that are left in it, rounded up by itself, and all is added up. So
 * - the same field twice, under two aliases, costs as much as once;
 * - two searches with different labels, or two lists that share no name, cost what they cost apart;
 * - a list of three names, one of them asked for as a record elsewhere, costs a list of two and a record.
 *
 * Where a name counts depends on the fields that ask for it and on nothing else, and no price falls as names are added. Hence an operation
 * never gets cheaper by asking for more, and what is charged for fewer names, see `chargedFor`, is never more than this.
 */
export function priceOf(wishes: readonly Wish[], isFree: (name: DomainName) => boolean): number {
  let price = 0;
  const counted = new Set<string>();
  for (const way of waysFromTheDearest) {
    for (const wish of wishes) {
      if (wayOf(wish) !== way) continue;
      let names = 0;
      for (const asked of wish.names) {
        if (counted.has(asked.domain)) continue;
        counted.add(asked.domain);
        if (!('problem' in asked) && !isFree(asked.domain)) names += 1;
      }
      price += prices[way](names);
    }
  }
  return price;
}

/** What is owed for the names that got a verdict: the same formula over these alone, so nothing where there are none. */
export function chargedFor(
  wishes: readonly Wish[],
  isFree: (name: DomainName) => boolean,
  gotVerdict: (name: DomainName) => boolean,
): number {
  return priceOf(wishes, (name) => isFree(name) || !gotVerdict(name));
}

type Way = keyof typeof prices;

const waysFromTheDearest = Object.keys(prices) as Way[];

function wayOf({ record, names, kind }: Wish): Way {
  if (record) return 'record';
  if (names.length === 1 || kind === 'single') return 'single';
  return kind === 'bulk' ? 'list' : 'search';
}
