import type { Contact, Json, PostalAddress } from '../domain/registration.ts';
import { asList, asObject, listOf, longestList, present } from './json.ts';
import { asFact, asWebAddress, asWord } from './text.ts';

/** What a jCard (RFC 7095) tells about a contact; whatever cannot be read in it is left out. */
export function readJcard(card: Json | undefined): Omit<Contact, 'roles' | 'handle'> {
  const properties = propertiesIn(card).slice(0, longestList);
  const named = (name: string) => properties.filter((property) => property.name === name);
  const texts = (name: string) => named(name).flatMap(({ value }) => textsIn(value));
  const numbers = (fax: boolean) => named('tel').flatMap((tel) => (isFax(tel) === fax ? textsIn(tel.value) : []));
  // RFC 8605's contact-uri is a form on the web, a mailto: or, against its letter, a bare address; and some put the form into email.
  const ways = texts('contact-uri');
  return present<Omit<Contact, 'roles' | 'handle'>>({
    kind: asWord(texts('kind')[0]),
    name: texts('fn')[0] ?? firstOf(named('n'), ({ value }) => nameOf(value)),
    organization: firstOf(named('org'), ({ value }) => textsIn(value).join(', ') || undefined),
    email: firstOf([...texts('email'), ...ways], emailIn),
    phone: firstOf(numbers(false), phoneIn),
    fax: firstOf(numbers(true), phoneIn),
    url: firstOf([...texts('url'), ...ways, ...texts('email')], asWebAddress),
    address: firstOf(named('adr'), (property) => addressOf(property, texts('iso-3166-1-alpha-2')[0])),
  });
}

/** An RFC 7095 value nests two lists; what stands deeper is no contact. */
const deepestNesting = 4;

interface Property {
  readonly name: string;
  readonly params: Json | undefined;
  readonly value: Json;
}

/** Properties stand in the second place after `vcard`; some servers leave that list out, or wrap it once more. */
function propertiesIn(json: Json | undefined, levels = deepestNesting): readonly Property[] {
  const list = asList(json) ?? [];
  const name = asWord(list[0]);
  if (name !== undefined && name !== 'vcard') return [{ name, params: list[1], value: list.slice(3) }];
  return levels > 0 ? list.flatMap((entry) => propertiesIn(entry, levels - 1)) : [];
}

/** RFC 6350 6.2.2: family names, given names, additional names, prefixes, suffixes. */
function nameOf(value: Json): string | undefined {
  const [family, given, additional, prefix, suffix] = componentsOf(value);
  return [prefix, given, additional, family, suffix].flatMap((texts) => texts ?? []).join(' ') || undefined;
}

/** RFC 6350 6.3.1: box, extension, street, city, region, postal code, country. */
function addressOf(property: Property, isoCode: string | undefined): PostalAddress | undefined {
  const sent = componentsOf(property.value).slice(0, 7);
  // Some servers leave out the box and the extension, so it is read from its end; a row of four has no country either.
  const parts = sent.length < 4 ? [...sent, [], [], [], []] : sent.length === 4 ? [...sent, []] : sent;
  const [city, region, postalCode, country] = parts.slice(-4).map((texts) => texts.join(' ') || undefined);
  const structured = parts.slice(0, -4).flat();
  const street = structured.length > 0 || city ? structured : linesIn(paramOf(property, 'label'));
  const countryCode = [textsIn(paramOf(property, 'cc'))[0], isoCode, country]
    .find((code) => code && /^[a-z]{2}$/i.test(code))
    ?.toUpperCase();
  const address = present<PostalAddress>({ street, city, region, postalCode, country, countryCode });
  return street.length > 0 || Object.keys(address).length > 1 ? address : undefined;
}

function isFax(property: Property): boolean {
  const types = textsIn(paramOf(property, 'type')).map((type) => type.toLowerCase());
  return types.includes('fax') && !types.includes('voice');
}

/** `tel:+1.5551234;ext=4` (RFC 3966), or the number alone. */
function phoneIn(text: string): string | undefined {
  const [number, ...params] = text.replace(/^tel:\s*/i, '').split(';');
  if (!number || !/^[+(]?\d/.test(number)) return undefined;
  const extension = params.find((param) => /^ext=./i.test(param))?.slice('ext='.length);
  return extension ? `${number} ext. ${extension}` : number;
}

/** The address alone: some servers write several into one text, or a name around it, or a sentence instead. */
function emailIn(text: string): string | undefined {
  return text
    .split(/[\s<>()",;]+/)
    .map((word) => word.replace(/^mailto:/i, '').replace(/\?.*$/, ''))
    .find((word) => /^[^@/:]+@[^@/:]+$/.test(word));
}

/** Parameters may be `[]` instead of `{}`, and their names in capitals. */
function paramOf(property: Property, name: string): Json | undefined {
  return Object.entries(asObject(property.params) ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** The components of a structured value, which stands as one list in the place of the value. */
function componentsOf(value: Json): readonly (readonly string[])[] {
  const [first] = listOf(value);
  return listOf(first).map(linesIn);
}

function textsIn(json: Json | undefined): readonly string[] {
  return stringsIn(json).flatMap((text) => asFact(text) ?? []);
}

function linesIn(json: Json | undefined): readonly string[] {
  return stringsIn(json)
    .flatMap((text) => text.split(/[\r\n]+/))
    .flatMap((line) => asFact(line) ?? []);
}

function stringsIn(json: Json | undefined, levels = deepestNesting): readonly string[] {
  if (typeof json === 'string') return [json];
  return levels > 0 ? (asList(json) ?? []).flatMap((entry) => stringsIn(entry, levels - 1)) : [];
}

function firstOf<T, R>(candidates: readonly T[], read: (candidate: T) => R | undefined): R | undefined {
  for (const candidate of candidates) {
    const found = read(candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}
