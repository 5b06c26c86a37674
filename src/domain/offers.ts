import { quoted } from '../shared/printable.ts';
import { readRows } from '../shared/read-csv.ts';
import { toHostName, type DomainName } from './names/domain-name.ts';
import { getOrInsert } from '../shared/memoize.ts';

/** What a seller asks for a name, according to the operator's price list. */
export interface Offer {
  readonly seller: string;
  /** The price of the first year. */
  readonly register: Price;
  /** The price of each year after it. */
  readonly renew: Price;
  /** The page on which the seller sells the name. */
  readonly url: string;
}

/** An amount in decimal digits, as in the list, and the code of its currency (ISO 4217). */
export interface Price {
  readonly amount: string;
  readonly currency: string;
}

/**
 * Returns the offers of a name directly under a suffix, 50 at most. The cheapest registration is first;
 * currencies are in the order of the list, because their prices cannot be compared.
 */
export type OffersOf = (name: DomainName, suffix: string) => readonly Offer[];

const maxOffersPerName = 50;

const amount = 'an amount that is not negative, such as 9.99';

/** What each field of the list has to be, and whether a text is that. */
const fields = {
  tld: ['a TLD or a suffix under which names are registered, such as com or co.uk', () => true],
  seller: ['a name of 1 to 100 characters', (text: string) => /^\P{Cc}{1,100}$/u.test(text)],
  register: [amount, isAmount],
  renew: [amount, isAmount],
  currency: [
    'a code of ISO 4217 in capital letters, such as USD',
    (text: string) => /^[A-Z]{3}$/.test(text),
  ],
  url: ['an https: URL without a user name, with {name} in place of the name', isLink],
} as const;
type Field = keyof typeof fields;
const fieldNames = Object.keys(fields);

/**
 * Parses the file of `OFFERS_FILE`: a JSON list of objects, or CSV. `isSuffix` returns whether names
 * are registered under a suffix. Throws an Error that names the row and the field at fault.
 */
export function parseOffersFile(text: string, isSuffix: (suffix: string) => boolean): OffersOf {
  const bySuffix = new Map<string, Map<string, Offer>>();
  for (const [place, values] of readRows(text, fieldNames)) {
    const read = (field: Field) => readField(field, values[field], place);
    const tld = read('tld');
    const suffix = toHostName(tld.replace(/^\./, ''));
    if (suffix === undefined || !isSuffix(suffix)) throw fieldError('tld', tld, place);

    const seller = read('seller');
    const offers = getOrInsert(bySuffix, suffix, () => new Map<string, Offer>());
    if (offers.has(seller.toLowerCase()))
      throw new Error(`${place}: seller ${quoted(seller)} is listed twice for .${suffix}`);

    const priceOf = (field: Field) => ({ amount: read(field), currency: read('currency') });
    const prices = { register: priceOf('register'), renew: priceOf('renew') };
    offers.set(seller.toLowerCase(), { seller, ...prices, url: read('url') });
  }

  const sorted = new Map(
    Array.from(bySuffix, ([suffix, offers]) => [suffix, inOrder(offers.values())]),
  );

  return (name, suffix) => (sorted.get(suffix) ?? []).map((offer) => withName(offer, name));
}

/** An A-label name has no character that a URL would encode. */
function withName(offer: Offer, name: DomainName): Offer {
  return { ...offer, url: offer.url.replaceAll('{name}', name) };
}

/** Returns the text of a field. JSON may have amounts as numbers. */
function readField(field: Field, value: unknown, place: string): string {
  const [, accepts] = fields[field];
  const isText = typeof value === 'string' || (accepts === isAmount && typeof value === 'number');
  const text = isText ? String(value).trim() : '';
  if (text !== '' && accepts(text)) return text;
  throw fieldError(field, isText ? text : JSON.stringify(value ?? null), place);
}

function fieldError(field: Field, value: string, place: string): Error {
  return new Error(`${place}: ${field} must be ${fields[field][0]}, got ${quoted(value)}`);
}

/** Amounts of more than 15 digits could not be compared as numbers. */
function isAmount(text: string): boolean {
  return /^(?:0|[1-9]\d{0,10})(?:\.\d{1,4})?$/.test(text);
}

function isLink(text: string): boolean {
  const example = text.replaceAll('{name}', 'example.com');
  const { protocol, username, password } = URL.parse(example) ?? {};
  return protocol === 'https:' && !username && !password && !/[\s{}\p{Cc}]/u.test(example);
}

function inOrder(offers: Iterable<Offer>): readonly Offer[] {
  const byCurrency = Map.groupBy(offers, ({ register }) => register.currency);
  const byAmount = (a: Offer, b: Offer) => Number(a.register.amount) - Number(b.register.amount);
  const sorted = Array.from(byCurrency.values(), (each) => each.toSorted(byAmount));
  return sorted.flat().slice(0, maxOffersPerName);
}
