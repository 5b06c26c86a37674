import type { DomainName } from '../domain/domain-name.ts';
import type { FieldLookup } from '../lookup/lookup-plan.ts';

/** What so many names cost in credits, by how a field asks for them. */
export const prices = {
  /** A registration: `/v1/rdap`, or `rdap` selected, wherever the name stands. */
  record: (names: number) => 2 * names,
  /** A name by itself. */
  single: (names: number) => names,
  /** A list of whole names: half a credit a name, beside one for the list. */
  list: (names: number) => (names > 1 ? Math.ceil(1 + names / 2) : names),
  /** One label under TLDs. */
  search: (names: number) => Math.ceil(names / 50),
} as const;

/** What the price of a field depends on. */
export type PricedField = Pick<FieldLookup, 'names' | 'part' | 'kind'>;

/** What an operation costs, known before it runs. */
interface Price {
  readonly requested: number;
  /** What is owed for the names that got a verdict: the same formula over these alone. Never more than was requested. */
  charged(gotVerdict: (name: DomainName) => boolean): number;
}

/**
 * Prices an operation by the fields that it will run. Names that `isFree` (`.test`, and those that nobody can be asked about) and entries
 * that are no names cost nothing and count for nothing.
 *
 * A name is charged once an operation, in the field where it is dearest: where the field's own price, divided by its names, is the highest;
 * of equal ones, in the first. Each field is then priced by the names that are left to it, rounded up by itself, and all is added up. So
 * - the same field twice, under two aliases, costs as much as once;
 * - two searches for different labels, or two lists that share no name, cost what they cost apart;
 * - a list of three names, one of them asked for as a record elsewhere, costs a list of two and a record.
 */
export function priceOf(
  fields: readonly PricedField[],
  isFree: (name: DomainName) => boolean,
): Price {
  const shares = sharesOf(fields, isFree);
  const charged: Price['charged'] = (gotVerdict) =>
    shares.reduce((sum, { way, names }) => sum + prices[way](countOf(names, gotVerdict)), 0);
  return { requested: charged(() => true), charged };
}

/** Each row of a stream says what is owed so far: an array each time would cost more than the rest of the row. */
function countOf(names: readonly DomainName[], gotVerdict: (name: DomainName) => boolean): number {
  let count = 0;
  for (const name of names) if (gotVerdict(name)) count += 1;
  return count;
}

interface Share {
  readonly way: keyof typeof prices;
  readonly names: readonly DomainName[];
}

/** Of each field the names that are charged there. */
function sharesOf(
  fields: readonly PricedField[],
  isFree: (name: DomainName) => boolean,
): readonly Share[] {
  const shares = fields.map((field): Share => ({
    way: wayOf(field),
    names: costlyNames(field, isFree),
  }));
  if (shares.length === 1) return shares;
  const charged = new Set<DomainName>();
  return shares
    .toSorted((a, b) => pricePerName(b) - pricePerName(a))
    .map(({ way, names }) => {
      const left = names.filter((name) => !charged.has(name));
      for (const name of left) charged.add(name);
      return { way, names: left };
    });
}

function costlyNames(
  { names }: PricedField,
  isFree: (name: DomainName) => boolean,
): readonly DomainName[] {
  return names.flatMap((asked) =>
    'problem' in asked || isFree(asked.domain) ? [] : [asked.domain],
  );
}

function wayOf({ part, kind }: PricedField): Share['way'] {
  if (part === 'record') return 'record';
  return kind === 'bulk' ? 'list' : kind;
}

function pricePerName({ way, names }: Share): number {
  return names.length > 0 ? prices[way](names.length) / names.length : 0;
}
