import type { Contact, Json } from '../../domain/registration.ts';
import { componentsOf, isFax, propertiesIn, textsIn } from './jcard-properties.ts';
import { maxListLength, omitUndefined } from './json.ts';
import { isPlaceholderEmail, isPlaceholderPhone } from './placeholders.ts';
import { readAddress } from './postal-address.ts';
import { asMeaningfulText, asWebUrl, asLowerCaseText } from './text.ts';

/** Reads a contact from a jCard (RFC 7095). Omits invalid values. */
export function readJcard(card: Json | undefined): Omit<Contact, 'roles' | 'handle'> {
  const properties = propertiesIn(card).slice(0, maxListLength);
  const propertiesNamed = (name: string) => properties.filter((property) => property.name === name);
  const texts = (name: string) =>
    propertiesNamed(name).flatMap(({ value }) => meaningfulTextsIn(value));
  const numbers = (fax: boolean) =>
    propertiesNamed('tel').flatMap((tel) =>
      isFax(tel) === fax ? meaningfulTextsIn(tel.value) : [],
    );
  // The contact-uri of RFC 8605 is a web form, a mailto: URI or, contrary to the RFC, a plain
  // address. Some servers put the web form into `email`.
  const contactUris = texts('contact-uri');
  return omitUndefined<Omit<Contact, 'roles' | 'handle'>>({
    kind: asLowerCaseText(texts('kind')[0]),
    name: texts('fn')[0] ?? firstOf(propertiesNamed('n'), ({ value }) => nameOf(value)),
    organization: firstOf(
      propertiesNamed('org'),
      ({ value }) => meaningfulTextsIn(value).join(', ') || undefined,
    ),
    email: firstOf([...texts('email'), ...contactUris], emailIn),
    phone: firstOf(numbers(false), phoneIn),
    fax: firstOf(numbers(true), phoneIn),
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
      .flatMap((lines) => meaningfulTextsIn(lines))
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

function meaningfulTextsIn(json: Json | undefined): readonly string[] {
  return textsIn(json).flatMap((text) => asMeaningfulText(text) ?? []);
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
