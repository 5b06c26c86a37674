import type { Contact, Json, JsonObject, PostalAddress } from '../../domain/registration.ts';
import {
  componentsOf,
  isFax,
  phoneTypesOf,
  textsIn,
  linesIn,
  paramOf,
  propertiesOf,
  type Property,
} from './jscontact.ts';
import { omitUndefined } from './json.ts';
import {
  isPlaceholderEmail,
  isPlaceholderPhone,
  asCountryCode,
  asMeaningfulText,
  asWebUrl,
  asLowerCaseText,
} from './text.ts';
import { once } from '../../shared/memoize.ts';

/** Reads the contact of an entity from its jCard (RFC 7095), or its JSContact card. Omits invalid values. */
export function readCard(entity: JsonObject): Omit<Contact, 'roles' | 'handle'> {
  const properties = propertiesOf(entity);
  const propertiesNamed = (name: string) => properties.filter((property) => property.name === name);
  const texts = (name: string) =>
    propertiesNamed(name).flatMap(({ value }) => meaningfulTexts(textsIn(value)));
  const phones = propertiesNamed('tel').flatMap((tel) =>
    meaningfulTexts(textsIn(tel.value)).flatMap((text) => {
      const number = phoneIn(text);
      return number === undefined ? [] : { number, types: phoneTypesOf(tel) };
    }),
  );

  // The contact-uri of RFC 8605 is a web form, a mailto: URI or, contrary to the RFC, a plain
  // address. Some servers put the web form into `email`.
  const contactUris = texts('contact-uri');
  return omitUndefined<Omit<Contact, 'roles' | 'handle'>>({
    kind: asLowerCaseText(texts('kind')[0]),
    name: texts('fn')[0] ?? firstOf(propertiesNamed('n'), ({ value }) => nameOf(value)),
    organization: firstOf(
      propertiesNamed('org'),
      ({ value }) => meaningfulTexts(textsIn(value)).join(', ') || undefined,
    ),
    email: firstOf([...texts('email'), ...contactUris], emailIn),
    phone: phones.find(({ types }) => !isFax(types))?.number,
    fax: phones.find(({ types }) => isFax(types))?.number,
    phones: phones.length > 0 ? phones : undefined,
    url: firstOf([...texts('url'), ...contactUris, ...texts('email')], asWebUrl),
    address: firstOf(propertiesNamed('adr'), (property) =>
      readAddress(property, texts('iso-3166-1-alpha-2')[0]),
    ),
  });
}

/** RFC 6350 section 6.2.2: family names, given names, additional names, prefixes, suffixes. */
function nameOf(value: Json): string | undefined {
  const [family, given, additional, prefix, suffix] = componentsOf(value);
  return asMeaningfulText(
    [prefix, given, additional, family, suffix]
      .flatMap((lines) => meaningfulTexts(textsIn(lines)))
      .join(' '),
  );
}

/**
 * Reads `tel:+1.5551234;ext=4` (RFC 3966) or a plain number. One server splits numbers: up to three
 * digits are only the start of one.
 */
function phoneIn(text: string): string | undefined {
  const [number, ...params] = text.replace(/^tel:\s*/i, '').split(';');
  if (
    !number ||
    !/^(?:\(|\+ ?)?\d/.test(number) ||
    /^\+?\d{1,3}$/.test(number) ||
    isPlaceholderPhone(number)
  )
    return undefined;

  const extension = params.find((param) => /^ext=./i.test(param))?.slice('ext='.length);
  return extension ? `${number} ext. ${extension}` : number;
}

/**
 * Returns the first e-mail address in a text: some servers send several, add a name, or send a
 * sentence instead.
 */
function emailIn(text: string): string | undefined {
  return text
    .split(/[\s<>()",;]+/)
    .map((word) => word.replace(/^mailto:/i, '').split('?', 1)[0] ?? '')
    .find((word) => /^[^@/:]+@[^@/:]+$/.test(word) && !isPlaceholderEmail(word));
}

function firstOf<T, R>(
  candidates: readonly T[],
  read: (candidate: T) => R | undefined,
): R | undefined {
  for (const candidate of candidates) {
    const found = read(candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Reads an `adr` property (RFC 6350 section 6.3.1): box, extension, street, city, region, postal
 * code, country. Undefined if empty.
 */
function readAddress(property: Property, isoCode: string | undefined): PostalAddress | undefined {
  const components = componentsOf(property.value).slice(0, 7).map(meaningfulTexts);
  const codes = [paramOf(property, 'cc'), isoCode]
    .flatMap((code) => meaningfulTexts(textsIn(code)))
    .flatMap((code) => asCountryCode(code) ?? []);
  const { structured, city, region, postalCode, country } =
    components.length === 4 ? partsFromFour(components, codes[0]) : partsFromEnd(components);
  const street =
    structured.length > 0 || city
      ? structured
      : meaningfulTexts(linesIn(paramOf(property, 'label')));
  const countryCode = codes[0] ?? asCountryCode(country);
  const address = omitUndefined<PostalAddress>({
    street,
    city,
    region,
    postalCode,
    country,
    countryCode,
  });

  return street.length > 0 || Object.keys(address).length > 1 ? address : undefined;
}

interface AddressParts extends Partial<
  Record<'city' | 'region' | 'postalCode' | 'country', string | undefined>
> {
  readonly structured: readonly string[];
}

/**
 * Reads an address from its end, because some servers omit the box and the extension. Fewer than
 * four parts are a street.
 */
function partsFromEnd(components: readonly (readonly string[])[]): AddressParts {
  const parts = components.length < 4 ? [...components, [], [], [], []] : components;
  const [city, region, postalCode, country] = parts.slice(-4).map(textOf);
  return { structured: parts.slice(0, -4).flat(), city, region, postalCode, country };
}

/**
 * Reads four parts: a street, and three of city, region, postal code and country. Namecheap omits
 * the country, others the region or the postal code. Ambiguous parts are omitted.
 */
function partsFromFour(
  components: readonly (readonly string[])[],
  code: string | undefined,
): AddressParts {
  const [structured = [], ...others] = components;
  const [second, third, last] = others.map(textOf);
  if (last !== undefined && hasDigit(last))
    return { structured, city: second, region: third, postalCode: last };

  return {
    structured,
    ...localityOf(second, third),
    country: last !== undefined && isCountry(last, code) ? last : undefined,
  };
}

function localityOf(
  second: string | undefined,
  third: string | undefined,
): Omit<AddressParts, 'structured'> {
  if (isPostalCode(third))
    return isPostalCode(second)
      ? {}
      : { city: hasDigit(second) ? undefined : second, postalCode: third };
  if (hasDigit(third)) return {};
  if (isPostalCode(second)) return { postalCode: second, city: third };

  return hasDigit(second) || second === undefined ? {} : { city: second, region: third };
}

/** Accepts at most two consecutive letters: `N1 1AA`, `CH-1227` and `75001`, but not `Flat 2`. */
function isPostalCode(text: string | undefined): boolean {
  return hasDigit(text) && /^(?!.*[a-z]{3})[a-z\d][a-z\d -]{1,9}$/i.test(text ?? '');
}

function hasDigit(text: string | undefined): boolean {
  return text !== undefined && /\d/.test(text);
}

/**
 * Returns whether a text is a country. Two letters may also be a state: `CA` with the parameter
 * `cc=US` is California.
 */
function isCountry(text: string, code: string | undefined): boolean {
  const name = isCountryCode(text) ? countryName(text) : text.toLowerCase();
  return (
    name !== undefined &&
    countryNames().has(name) &&
    (code === undefined || countryName(code) === name)
  );
}

/**
 * Returns the English name of a country in lower case, because some have several codes, such as
 * `GB` and `UK`.
 */
function countryName(code: string): string | undefined {
  const upper = code.toUpperCase();
  return nonCountryCodes.has(upper) ? undefined : regionNames.of(upper)?.toLowerCase();
}

const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

// Codes of unions and test regions that have a name in the Unicode CLDR.
const nonCountryCodes = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ']);

const countryNames = once(() => {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  return new Set(
    letters.flatMap((first) => letters.flatMap((second) => countryName(first + second) ?? [])),
  );
});

function isCountryCode(text: string | undefined): boolean {
  return text !== undefined && /^[a-z]{2}$/i.test(text);
}

function textOf(lines: readonly string[]): string | undefined {
  return lines.join(' ') || undefined;
}

function meaningfulTexts(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => asMeaningfulText(text) ?? []);
}
