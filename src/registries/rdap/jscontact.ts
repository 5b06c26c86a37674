import type { Json, JsonObject } from '../../domain/registration.ts';
import { propertiesIn, type Property } from './jcard-properties.ts';
import { asObject, maxListLength, objectsOf } from './json.ts';

/**
 * Returns the contact of an entity as the properties of a jCard. A JSContact card (RFC 9553) is read
 * without one: `jscontact_card` in draft-ietf-regext-rdap-jscontact, `jscard` in its earlier versions.
 */
export function propertiesOf(entity: JsonObject): readonly Property[] {
  const jcard = propertiesIn(entity['vcardArray']).slice(0, maxListLength);
  const card = asObject(entity['jscontact_card'] ?? entity['jscard']);
  return jcard.length > 0 || !card ? jcard : cardProperties(card).slice(0, maxListLength);
}

function cardProperties(card: JsonObject): readonly Property[] {
  const { full, components } = asObject(card['name']) ?? {};
  return [
    property('kind', card['kind']),
    property('fn', full),
    property('n', valuesOf(components, ['surname', 'given', 'given2', 'title', 'credential'])),
    ...entriesOf(card['organizations']).map(({ name }) => property('org', name)),
    ...entriesOf(card['emails']).map(({ address }) => property('email', address)),
    ...entriesOf(card['phones']).map(({ number, features }) =>
      property('tel', number, { type: Object.keys(asObject(features) ?? {}) }),
    ),
    ...entriesOf(card['links']).map(({ kind, uri }) =>
      property(kind === 'contact' ? 'contact-uri' : 'url', uri),
    ),
    ...entriesOf(card['addresses']).map(addressProperty),
  ];
}

const lastParts = ['locality', 'region', 'postcode', 'country'];

function addressProperty({ components, full = '', countryCode = '' }: JsonObject): Property {
  const street = objectsOf(components)
    .filter(({ kind }) => !lastParts.includes(String(kind)) && kind !== 'separator')
    .flatMap(({ value }) => value ?? []);
  const value = ['', '', street, ...valuesOf(components, lastParts)];
  return property('adr', value, { cc: countryCode, label: full });
}

/** Returns the values of the components of each kind. */
function valuesOf(components: Json | undefined, kinds: readonly string[]): readonly Json[] {
  return kinds.map((kind) =>
    objectsOf(components).flatMap((each) => (each['kind'] === kind ? (each['value'] ?? []) : [])),
  );
}

function entriesOf(map: Json | undefined): readonly JsonObject[] {
  return objectsOf(Object.values(asObject(map) ?? {}));
}

function property(name: string, value: Json | undefined, params: JsonObject = {}): Property {
  return { name, params, value: [value ?? null] };
}
