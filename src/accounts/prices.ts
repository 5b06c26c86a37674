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
export type PricedField = Pick<FieldLookup, 'names' | 'detail' | 'priority'>;

/** What an operation costs, known before it runs. */
interface Price {
  readonly requested: number;
  /** What is owed for the names that got a verdict: the same formula over these alone. Never more than was requested. */
  charged(hasVerdict: (name: DomainName) => boolean): number;
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
  const lineItems = lineItemsOf(fields, isFree);
  const charged: Price['charged'] = (hasVerdict) =>
    lineItems.reduce(
      (sum, { tariff, names }) => sum + prices[tariff](countNames(names, hasVerdict)),
      0,
    );
  return { requested: charged(() => true), charged };
}

/** Each row of a stream says what is owed so far: an array each time would cost more than the rest of the row. */
function countNames(
  names: readonly DomainName[],
  hasVerdict: (name: DomainName) => boolean,
): number {
  let count = 0;
  for (const name of names) if (hasVerdict(name)) count += 1;
  return count;
}

interface LineItem {
  readonly tariff: keyof typeof prices;
  readonly names: readonly DomainName[];
}

/** Of each field the names that are charged there. */
function lineItemsOf(
  fields: readonly PricedField[],
  isFree: (name: DomainName) => boolean,
): readonly LineItem[] {
  const lineItems = fields.map((field): LineItem => ({
    tariff: tariffOf(field),
    names: billableNames(field, isFree),
  }));
  if (lineItems.length === 1) return lineItems;
  const charged = new Set<DomainName>();
  return lineItems
    .toSorted((a, b) => pricePerName(b) - pricePerName(a))
    .map(({ tariff, names }) => {
      const remaining = names.filter((name) => !charged.has(name));
      for (const name of remaining) charged.add(name);
      return { tariff, names: remaining };
    });
}

function billableNames(
  { names }: PricedField,
  isFree: (name: DomainName) => boolean,
): readonly DomainName[] {
  return names.flatMap((parsed) =>
    'problem' in parsed || isFree(parsed.domain) ? [] : [parsed.domain],
  );
}

function tariffOf({ detail, priority }: PricedField): LineItem['tariff'] {
  if (detail === 'record') return 'record';
  return priority === 'bulk' ? 'list' : priority;
}

function pricePerName({ tariff, names }: LineItem): number {
  return names.length > 0 ? prices[tariff](names.length) / names.length : 0;
}
