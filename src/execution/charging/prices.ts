import type { DomainName } from '../../domain/names/domain-name.ts';
import { includesRecord } from '../../domain/source.ts';
import { Problem } from '../../domain/problems.ts';
import type { FieldLookup } from '../../lookup/lookup-plan.ts';

/**
 * Credits. To change a price, change it here: all texts, documents and tests read it. The prices of
 * site lookups are in the folders of `src/sites/`.
 */
const credits = {
  record: 2,
  object: 2,
  single: 1,
  list: 1,
  listedName: 0.5,
  searchBlock: 1,
};
const tldsPerBlock = 50;

/** The price of a number of names or objects in credits, by the kind of field that requests them. */
export const prices = {
  /**
   * A registration: `/v1/rdap`, or `registration` or `rdap` selected anywhere below the name.
   * Without a record, it costs as much as a single name.
   */
  record: (names: number) => credits.record * names,
  /** An IP network, autonomous system, entity or nameserver that was answered. */
  object: (objects: number) => credits.object * objects,
  single: (names: number) => credits.single * names,
  /** A list of full names; one name in a list is a single name. */
  list: (names: number) =>
    names > 1 ? Math.ceil(credits.list + credits.listedName * names) : credits.single * names,
  /** One label under TLDs. */
  search: (names: number) => credits.searchBlock * Math.ceil(names / tldsPerBlock),
} as const;

/** What a record costs in addition to a verdict. */
export const recordCost = prices.record(1) - prices.single(1);

export const priceTexts = {
  search: `${credits.searchBlock} per started block of ${tldsPerBlock} TLDs`,
  list: `${credits.single} for one name; for more, ${credits.list} + ${credits.listedName} per name, rounded up`,
} as const;

/** The properties of a field that determine its price. */
export type PricedField = Pick<FieldLookup, 'names' | 'detail' | 'priority'>;

type NamePredicate = (name: DomainName) => boolean;

/** The price of an operation, computed before it runs. */
interface Price {
  readonly requested: number;
  /**
   * Returns the price of the names with a verdict: the same formula, over these names only. Never
   * more than `requested`. Names for which `hasNoRecord` returns true have no record.
   */
  charged(hasVerdict: NamePredicate, hasNoRecord?: NamePredicate): number;
}

/**
 * Prices an operation by the fields that it will run. Entries that are not valid names, and names
 * for which `isFree` returns true (`.test`, and names without a registry), cost nothing and are not
 * counted.
 *
 * A name is charged once per operation, at the highest applicable price: in the field whose price
 * divided by its number of names is highest, or the first of several equal ones. Each field is then
 * priced by its remaining names, rounded up separately, and the prices are added. Therefore:
 * - the same field under two aliases costs as much as once;
 * - two searches for different labels, or two lists without a common name, cost the sum of both;
 * - a list of three names, one of which is also requested as a record, costs as much as a list of two
 *   names and a record.
 */
export function priceOf(
  fields: readonly PricedField[],
  isFree: (name: DomainName) => boolean,
): Price {
  const lineItems = lineItemsOf(fields, isFree);
  const charged: Price['charged'] = (hasVerdict, hasNoRecord) =>
    lineItems.reduce((sum, lineItem) => sum + chargeOf(lineItem, hasVerdict, hasNoRecord), 0);
  return { requested: charged(() => true), charged };
}

function chargeOf(
  { tariff, names }: LineItem,
  hasVerdict: NamePredicate,
  hasNoRecord: NamePredicate = () => false,
): number {
  const count = countNames(names, hasVerdict);
  if (tariff !== 'record') return prices[tariff](count);
  const withoutRecord = countNames(names, (name) => hasVerdict(name) && hasNoRecord(name));
  return prices.record(count - withoutRecord) + prices.single(withoutRecord);
}

/**
 * Counts without building an array: this runs for each row of a stream, and an array would take
 * more time than the rest of the row.
 */
function countNames(names: readonly DomainName[], isCounted: NamePredicate): number {
  let count = 0;
  for (const name of names) if (isCounted(name)) count += 1;
  return count;
}

interface LineItem {
  readonly tariff: Exclude<keyof typeof prices, 'object'>;
  readonly names: readonly DomainName[];
}

/** Returns, for each field, the names that are charged there. */
function lineItemsOf(
  fields: readonly PricedField[],
  isFree: (name: DomainName) => boolean,
): readonly LineItem[] {
  const lineItems = fields.map((field): LineItem => ({
    tariff: tariffOf(field),
    names: field.names.flatMap((parsed) =>
      'problem' in parsed || isFree(parsed.domain) ? [] : [parsed.domain],
    ),
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

function tariffOf({ detail, priority }: PricedField): LineItem['tariff'] {
  if (includesRecord(detail)) return 'record';
  return priority === 'single' || priority === 'search' ? priority : 'list';
}

function pricePerName({ tariff, names }: LineItem): number {
  return names.length > 0 ? prices[tariff](names.length) / names.length : 0;
}

/** Returns a price in words. */
export function inCredits(price: number): string {
  return price === 1 ? '1 credit' : `${price} credits`;
}

/** Returns the problem of an operation that costs more than its caller allows. */
export function tooFewAllowed(price: number, maxCredits: number): Problem {
  const detail = `The query costs ${inCredits(price)}, but max_credits is ${maxCredits}. Ask for less, or allow more.`;
  return new Problem('insufficient_credits', detail, { param: 'max_credits' });
}
