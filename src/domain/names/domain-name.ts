import { toASCII, toUnicode } from 'tr46';
import { quoted, quotedCharacter } from '../../shared/printable.ts';
import { disallowedCharacters, isEmoji } from './code-points.ts';
import { Problem } from '../problems.ts';
import { tldTypeOf } from './tld-sets.ts';

declare const brand: unique symbol;

/**
 * A lower-case A-label name of at least two labels, e.g. `xn--bcher-kva.example`. Created only by
 * `parseDomainName`.
 */
export type DomainName = string & { readonly [brand]: true };

// UTS-46, non-transitional (`faß` is not `fass`). It allows more code points than IDNA 2008.
const uts46 = {
  checkBidi: true,
  checkHyphens: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  transitionalProcessing: false,
  ignoreInvalidPunycode: false,
} as const;

/**
 * Parses a full domain name as typed by a person: any case, U-labels or A-labels, full-width dots,
 * one trailing dot, surrounding spaces. Throws `invalid_name`, with `param`, for anything but a host
 * name of at least two labels, e.g. for an IP address, a URL or `a_b.com`, and for U-labels that IDNA
 * 2008 does not allow. Emoji are allowed under country-code TLDs, because some sell such names.
 */
export function parseDomainName(input: string, param?: string): DomainName {
  const form = {
    expected: 'a domain name such as example.com',
    accepts: (name: string) => name.includes('.') && !endsInNumber.test(name),
  };
  return parse(input, form, param) as DomainName;
}

/**
 * Parses one label, e.g. `Bücher` → `xn--bcher-kva`. Throws `invalid_name`. Whether it may contain
 * emoji depends on the TLD, so the full name must be parsed as well.
 */
export function parseLabel(input: string, param?: string): string {
  return parse(input, { ...labels, accepts: (label) => !label.includes('.') }, param);
}

/**
 * Parses the labels in front of a suffix: one, or several (`example.co` for `uk`). Throws
 * `invalid_name`. The full name must be parsed as well, as for `parseLabel`.
 */
export function parseLabels(input: string, param?: string): string {
  return parse(input, labels, param);
}

/**
 * Parses a TLD or a longer suffix, with or without a leading dot: `.CO.UK` → `co.uk`. Throws
 * `invalid_name`.
 */
export function parseSuffix(input: string, param?: string): string {
  const form = {
    expected: 'a TLD or suffix such as com or co.uk',
    accepts: (suffix: string) => !endsInNumber.test(suffix),
  };
  return parse(withoutLeadingDot(input.trim()), form, param);
}

/**
 * Returns the A-label form of a name in a registry's response, which may break the rules for
 * registrations; undefined for anything but a host name.
 */
export function toHostName(input: string): string | undefined {
  return normalize(input)?.name;
}

/**
 * Returns the U-label form: `xn--bcher-kva.example` → `bücher.example`. Input longer than
 * `maxNameLength` is returned as is, because decoding it is slow.
 */
export function toUnicodeName(name: string): string {
  return name.length <= maxNameLength && name.includes('xn--')
    ? toUnicode(name, uts46).domain
    : name;
}

/** Returns whether a name in a registry's response, in any spelling, is `name`. */
export function isSameName(input: string, name: DomainName): boolean {
  return input.toLowerCase() === name || normalize(input)?.name === name;
}

/** A name that is looked up, split once. */
export interface SplitName {
  readonly ascii: DomainName;
  readonly label: string;
  readonly suffix: string;
}

/** Splits a name at its first dot: `example.co.uk` → `example`, `co.uk`. */
export function splitName(ascii: DomainName): SplitName {
  const dot = ascii.indexOf('.');
  return { ascii, label: ascii.slice(0, dot), suffix: ascii.slice(dot + 1) };
}

/** Returns the TLD of a name or a suffix, which is a TLD itself or ends in one: `co.uk` → `uk`. */
export function tldOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Returns an entry of a list as the caller wrote it, for the row of an invalid name. */
export function rawInputOf(name: string, tld?: string): string {
  return tld === undefined
    ? name.trim()
    : `${name.trim().replace(/[.。．｡]$/, '')}.${withoutLeadingDot(tld.trim())}`;
}

/** Removes a leading dot of any script, as in `.com`. */
export function withoutLeadingDot(input: string): string {
  return input.replace(/^[.。．｡]/, '');
}

const ldhName = /^(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)*(?!-)[a-z0-9-]{1,63}(?<!-)$/;
// A name whose last label is numeric is an IPv4 address (WHATWG URL, "ends in a number").
const endsInNumber = /(?:^|\.)(?:\d+|0x[\da-f]*)$/;
const maxLabelLength = 63;
export const maxNameLength = 253;
const maxInputLength = 512;
// A 63-character A-label encodes fewer characters; their decomposed form may be twice as long.
const maxInputLabelLength = 126;

const dots = /[.。．｡]/;

/** What a caller's text has to be. */
interface Form {
  /** Continues `"a_b" is not …`. */
  readonly expected: string;
  /** Returns whether a valid name has this form. */
  readonly accepts: (name: string) => boolean;
  /** By default, names under country-code TLDs may contain emoji. */
  readonly allowsEmoji?: (name: string) => boolean;
}

const labels: Form = {
  expected: 'one label of a domain name, such as example',
  accepts: () => true,
  allowsEmoji: () => true,
};

function isUnderCountryCode(name: string): boolean {
  return tldTypeOf(tldOf(name)) === 'cctld';
}

function parse(input: string, form: Form, param: string | undefined): string {
  const result = check(input, form);
  if ('name' in result) return result.name;
  const suggestion = plainSpelling(input, form);
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  const detail = `${quoted(input)} is not ${form.expected}.${result.reason}${hint}`;
  throw new Problem('invalid_name', detail, { suggestion, param });
}

/** Returns the name that a text stands for, or why it is none. */
function check(input: string, form: Form): { name: string } | { reason: string } {
  const normalized = normalize(input);
  if (!normalized) return { reason: ` ${violationIn(input.trim())}` };

  const { name } = normalized;
  // The labels are valid, so the rule for labels would be no explanation.
  if (!form.accepts(name)) return { reason: '' };
  if (/^\p{ASCII}*$/u.test(input)) return { name };

  const characters = uLabelsOf(input, normalized).flatMap(disallowedCharacters);
  const disallowed =
    // UTS #46 ignores a soft hyphen, but a hyphen may be meant.
    /\u00ad/.exec(input)?.[0] ?? characters.find((character) => !isEmoji(character));
  if (disallowed !== undefined)
    return { reason: ` It can't contain ${quotedCharacter(asTyped(disallowed, input))}.` };
  if (characters.length > 0 && !(form.allowsEmoji ?? isUnderCountryCode)(name))
    return {
      reason: ` Only some country-code TLDs sell names with emoji. To look it up all the same, send ${name}.`,
    };

  return { name };
}

/** Returns the rule that a text which is not a host name violates. */
function violationIn(input: string): string {
  if (input.length > maxInputLength) return nameLengthRule;
  const typed = input.replace(/[.。．｡]$/, '').split(dots);
  const violation = typed.map(violationInLabel).find((each) => each !== undefined);
  if (violation !== undefined) return violation;
  // The rule of RFC 5893 for a label depends on the others.
  return (mapLabels(input)?.length ?? 0) > maxNameLength ? nameLengthRule : bidiRule;
}

/** Applies the UTS-46 mapping to labels, whose order of characters is not checked. */
function mapLabels(input: string, checkJoiners = false): string | null {
  return toASCII(input, { ...uts46, checkBidi: false, checkJoiners, verifyDNSLength: false });
}

const nameLengthRule = `A name can't have more than ${maxNameLength} characters, with internationalized labels in their xn-- form.`;
const bidiRule =
  "Its characters can't be combined in this order in a name with right-to-left letters.";

function violationInLabel(typed: string): string | undefined {
  // UTS #46 maps compatibility characters, and ignores these.
  const label = typed
    .normalize('NFKC')
    .replaceAll(/[\u00ad\u200b\u2060\ufeff\p{Variation_Selector}]/gu, '');
  if (label === '') return "A label can't be empty.";
  if (/[^\P{ASCII}a-z0-9-]/iu.test(label))
    return 'A label may contain only letters, digits and hyphens.';
  if (/^-|-$/.test(label)) return "A label can't start or end with a hyphen.";

  // RFC 5891 section 4.2.3.1.
  if (/^(?!xn).{2}--/iu.test(label))
    return "The third and the fourth character of a label can't both be hyphens, unless it starts with xn--.";
  if (/^xn--/i.test(label))
    return mapToAscii(label)
      ? undefined
      : `${quoted(label)} starts with xn--, but is not the Punycode form of a valid label.`;
  if (label.length > maxInputLabelLength || (mapLabels(label)?.length ?? 0) > maxLabelLength)
    return `A label can't have more than ${maxLabelLength} characters, or in its xn-- form if it is internationalized.`;
  if (/^\p{M}/u.test(label)) return "A label can't start with a combining mark.";

  const forbidden =
    Array.from(label).find((character) => mapLabels(`a${character}a`) === null) ??
    (mapLabels(label, true) === null ? /[\u200c\u200d]/.exec(label)?.[0] : undefined);
  if (forbidden !== undefined) return `It can't contain ${quotedCharacter(forbidden)}.`;
  if (/[\u0660-\u0669]/.test(label) && /[0-9\u06f0-\u06f9]/.test(label))
    return "A label can't mix Arabic-Indic digits with other digits.";

  return undefined;
}

/** Returns the character that was typed for a character of a label: UTS #46 maps U+2011 to U+2010. */
function asTyped(character: string, input: string): string {
  return Array.from(input).find((typed) => typed.normalize('NFKC') === character) ?? character;
}

/** Returns the labels that the caller did not send as A-labels, which RFC 5891 section 5.3 accepts. */
function uLabelsOf(input: string, { unicode }: NormalizedName): readonly string[] {
  const typed = input.trim().split(dots);
  return unicode.split('.').filter((_label, at) => !/^xn--/i.test(typed[at] ?? ''));
}

/**
 * Returns a text with plain hyphens for typographic ones, and without quotation marks, spaces and
 * invisible characters; undefined if that is not a name, or if the text is ASCII.
 */
function plainSpelling(input: string, form: Form): string | undefined {
  if (input.length > maxInputLength || /^\p{ASCII}*$/u.test(input)) return undefined;
  const plain = input
    .replaceAll(/[\p{Dash}\u2043]/gu, '-')
    .replaceAll(/[\p{Quotation_Mark}\p{White_Space}\p{Default_Ignorable_Code_Point}\u2032]/gu, '')
    .toLowerCase();
  return 'name' in check(plain, form) ? plain : undefined;
}

/** A valid host name of one label or more. */
interface NormalizedName {
  /** In A-labels. */
  readonly name: string;
  /** In U-labels, with a final dot if one was typed. */
  readonly unicode: string;
}

/** Maps a text to a host name by UTS #46; undefined if it is none. */
function normalize(input: string): NormalizedName | undefined {
  const trimmed = input.trim();
  // No name is this long, and the UTS-46 mapping of long input is slow.
  if (trimmed.length > maxInputLength) return undefined;

  const mapped = toAscii(trimmed);
  const name = mapped?.name.replace(/\.$/, '');

  return mapped && name !== undefined && name.length <= maxNameLength && ldhName.test(name)
    ? { name, unicode: mapped.unicode }
    : undefined;
}

function toAscii(input: string): NormalizedName | undefined {
  const lower = input.toLowerCase();
  // Most names are ASCII and need no mapping.
  if (/^[a-z0-9.-]*$/.test(lower) && !/(?:^|\.)..--/.test(lower))
    return { name: lower, unicode: lower };
  return mapToAscii(input);
}

/** Applies the UTS-46 mapping, which takes about 50 µs. */
function mapToAscii(input: string): NormalizedName | undefined {
  if (input.split(dots).some((label) => label.length > maxInputLabelLength)) return undefined;

  const name = toASCII(input, { ...uts46, verifyDNSLength: false }) ?? undefined;
  if (!name) return undefined;

  const { domain: unicode, error } = toUnicode(name, uts46);
  // An A-label that does not survive a round trip through its U-label is invalid, e.g. spoofed.
  return !error && toASCII(unicode, { ...uts46, verifyDNSLength: false }) === name
    ? { name, unicode }
    : undefined;
}
