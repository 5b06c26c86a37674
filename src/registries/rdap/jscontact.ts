import type { Json, JsonObject } from '../../domain/registration.ts';
import { asObject, maxListLength, objectsOf, asList, listOf } from './json.ts';
import { asText, asLowerCaseText } from './text.ts';

/**
 * Returns the contact of an entity as the properties of a jCard. A JSContact card (RFC 9553) is read
 * without one: `jscontact_card` in draft-ietf-regext-rdap-jscontact, `jscard` in its earlier versions.
 */
export function propertiesOf(entity: JsonObject): readonly Property[] {
  const jcard = propertiesIn(entity['vcardArray']).slice(0, maxListLength);
  const card = asObject(entity['jscontact_card'] ?? entity['jscard']);
  const properties =
    jcard.length > 0 || !card ? jcard : cardProperties(card).slice(0, maxListLength);
  return properties.toSorted((a, b) => preferenceOf(a) - preferenceOf(b));
}

/** Returns the rank of a property among those of its name (RFC 6350 section 5.3), 1 being the first. */
function preferenceOf(property: Property): number {
  const pref = paramOf(property, 'pref');
  const rank = Number(typeof pref === 'number' ? pref : (textsIn(pref)[0] ?? NaN));
  if (rank >= 1 && rank <= 100) return rank;
  const types = textsIn(paramOf(property, 'type'));
  return types.some((type) => type.toLowerCase() === 'pref') ? 1 : 101;
}

function cardProperties(card: JsonObject): readonly Property[] {
  const { full, components } = asObject(card['name']) ?? {};
  return [
    propertyOf('kind', card['kind']),
    propertyOf('fn', full),
    propertyOf('n', valuesOf(components, ['surname', 'given', 'given2', 'title', 'credential'])),
    ...entriesOf(card['organizations']).map(({ name }) => propertyOf('org', name)),
    ...entriesOf(card['emails']).map(({ address, pref = '' }) =>
      propertyOf('email', address, { pref }),
    ),
    ...entriesOf(card['phones']).map(({ number, features, pref = '' }) =>
      propertyOf('tel', number, { type: Object.keys(asObject(features) ?? {}), pref }),
    ),
    ...entriesOf(card['links']).map(({ kind, uri, pref = '' }) =>
      propertyOf(kind === 'contact' ? 'contact-uri' : 'url', uri, { pref }),
    ),
    ...entriesOf(card['addresses']).map(addressProperty),
  ];
}

const lastParts = ['locality', 'region', 'postcode', 'country'];

function addressProperty({
  components,
  full = '',
  countryCode = '',
  pref = '',
}: JsonObject): Property {
  const street = objectsOf(components)
    .filter(({ kind }) => !lastParts.includes(String(kind)) && kind !== 'separator')
    .flatMap(({ value }) => value ?? []);
  const value = ['', '', street, ...valuesOf(components, lastParts)];
  return propertyOf('adr', value, { cc: countryCode, label: full, pref });
}

function valuesOf(components: Json | undefined, kinds: readonly string[]): readonly Json[] {
  return kinds.map((kind) =>
    objectsOf(components).flatMap((each) => (each['kind'] === kind ? (each['value'] ?? []) : [])),
  );
}

function entriesOf(map: Json | undefined): readonly JsonObject[] {
  return objectsOf(Object.values(asObject(map) ?? {}));
}

function propertyOf(name: string, value: Json | undefined, params: JsonObject = {}): Property {
  return { name, params, value: [value ?? null] };
}

/** A property of a jCard (RFC 7095 section 3.3); `value` is the list of its values. */
export interface Property {
  readonly name: string;
  readonly params: Json | undefined;
  readonly value: Json;
}

/**
 * Reads the properties of a jCard, which follow `vcard` in a list. Some servers omit that list, nest
 * it once more, or send an object that contains it.
 */
function propertiesIn(json: Json | undefined, levels = maxNesting): readonly Property[] {
  const list = asList(json) ?? [];
  const name = asLowerCaseText(list[0]);
  if (name !== undefined && name !== 'vcard')
    return [{ name, params: list[1], value: list.slice(3) }];

  const entries = list.length > 0 ? list : Object.values(asObject(json) ?? {});
  return levels > 0
    ? entries.slice(0, maxListLength).flatMap((entry) => propertiesIn(entry, levels - 1))
    : [];
}

/**
 * Returns a parameter of a property. Some servers send `[]` instead of `{}`, or upper-case names.
 */
export function paramOf(property: Property, name: string): Json | undefined {
  return Object.entries(asObject(property.params) ?? {}).find(
    ([key]) => key.toLowerCase() === name,
  )?.[1];
}

/** Returns the lines of each component of a structured value, which is a list itself. */
export function componentsOf(value: Json): readonly (readonly string[])[] {
  const [first] = listOf(value);
  return listOf(first).map(linesIn);
}

/** Returns the non-empty texts in a value, up to `maxNesting` levels deep. */
export function textsIn(json: Json | undefined): readonly string[] {
  return stringsIn(json).flatMap((text) => asText(text) ?? []);
}

/**
 * Returns the non-empty lines of the texts in a value, at most `maxListLength`. Some servers send
 * line breaks as in a vCard: `\n` (RFC 6350 section 3.4).
 */
export function linesIn(json: Json | undefined): readonly string[] {
  return stringsIn(json)
    .flatMap((text) => text.split(/[\r\n]+|\\n/i, maxListLength))
    .slice(0, maxListLength)
    .flatMap((line) => asText(line) ?? []);
}

/** Returns the types of a telephone property, without contexts such as `work`. */
export function phoneTypesOf(property: Property): readonly string[] {
  const words = textsIn(paramOf(property, 'type')).flatMap((text) => text.toLowerCase().split(','));
  return [...new Set(words.map((word) => (word === 'mobile' ? 'cell' : word)))].filter((word) =>
    phoneTypes.includes(word),
  );
}

/** RFC 6350 section 6.4.1. JSContact has `mobile` for `cell` (RFC 9555 section 2.5.1). */
const phoneTypes = ['voice', 'fax', 'cell', 'text', 'video', 'pager', 'textphone'];

/** Returns whether a number of these types is only a fax number. */
export function isFax(types: readonly string[]): boolean {
  return types.includes('fax') && !types.includes('voice');
}

/** RFC 7095 values nest two levels; deeper values are ignored. */
const maxNesting = 4;

function stringsIn(json: Json | undefined, levels = maxNesting): readonly string[] {
  if (typeof json === 'string') return [json];
  return levels > 0 ? (asList(json) ?? []).flatMap((entry) => stringsIn(entry, levels - 1)) : [];
}
