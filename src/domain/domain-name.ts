import { toASCII, toUnicode } from 'tr46';
import { Problem } from './problems.ts';

declare const brand: unique symbol;

/**
 * A lower-case A-label name of at least two labels, e.g. `xn--bcher-kva.example`. Created only by
 * `parseDomainName`.
 */
export type DomainName = string & { readonly [brand]: true };

// UTS-46, non-transitional (`faß` is not `fass`); the IDNA2008 code point rules are left to the
// registry.
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
 * one trailing dot, surrounding spaces. Throws `invalid_name` for anything but a host name of at
 * least two labels, e.g. for an IP address, a URL or `a_b.com`.
 */
export function parseDomainName(input: string): DomainName {
  const name = normalizeName(input);
  if (!name?.includes('.') || endsInNumber.test(name))
    throw invalidName(input, 'a domain name such as example.com', name);
  return name as DomainName;
}

/** Parses one label, e.g. `Bücher` → `xn--bcher-kva`. Throws `invalid_name`. */
export function parseLabel(input: string): string {
  const label = normalizeName(input);
  if (!label || label.includes('.'))
    throw invalidName(input, 'one label of a domain name, such as example', label);
  return label;
}

/**
 * Parses the labels in front of a suffix: one, or several (`example.co` for `uk`). Throws
 * `invalid_name`.
 */
export function parseLabels(input: string): string {
  const labels = normalizeName(input);
  if (!labels) throw invalidName(input, 'one label of a domain name, such as example', labels);
  return labels;
}

/**
 * Parses a TLD or a longer suffix, with or without a leading dot: `.CO.UK` → `co.uk`. Throws
 * `invalid_name`.
 */
export function parseSuffix(input: string): string {
  const suffix = normalizeName(withoutLeadingDot(input.trim()));
  if (!suffix || endsInNumber.test(suffix))
    throw invalidName(input, 'a TLD or suffix such as com or co.uk', suffix);
  return suffix;
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
  return input.toLowerCase() === name || normalizeName(input) === name;
}

/** Splits a name at its first dot: `example.co.uk` → `example`, `co.uk`. */
export function splitName(name: DomainName): { label: string; suffix: string } {
  const dot = name.indexOf('.');
  return { label: name.slice(0, dot), suffix: name.slice(dot + 1) };
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
const maxNameLength = 253;
const maxInputLength = 512;
// A 63-character A-label encodes fewer characters; their decomposed form may be twice as long.
const maxInputLabelLength = 126;

function normalizeName(input: string): string | undefined {
  const trimmed = input.trim();
  // No name is this long, and the UTS-46 mapping of long input is slow.
  if (trimmed.length > maxInputLength) return undefined;
  const ascii = toAscii(trimmed)?.replace(/\.$/, '');
  return ascii !== undefined && ascii.length <= maxNameLength && ldhName.test(ascii)
    ? ascii
    : undefined;
}

function toAscii(input: string): string | undefined {
  const lower = input.toLowerCase();
  // Most names are ASCII and need no mapping.
  if (/^[a-z0-9.-]*$/.test(lower) && !/(?:^|\.)..--/.test(lower)) return lower;
  return mapToAscii(input);
}

/** Applies the UTS-46 mapping, which takes about 50 µs. */
function mapToAscii(input: string): string | undefined {
  if (input.split(/[.。．｡]/).some((label) => label.length > maxInputLabelLength)) return undefined;
  const ascii = toASCII(input, { ...uts46, verifyDNSLength: false }) ?? undefined;
  if (!ascii) return undefined;
  const unicode = toUnicode(ascii, uts46);
  // An A-label that does not survive a round trip through its U-label is invalid, e.g. spoofed.
  return !unicode.error && toASCII(unicode.domain, { ...uts46, verifyDNSLength: false }) === ascii
    ? ascii
    : undefined;
}

/**
 * Explains the rule for labels only if the input could not be normalized: otherwise, its labels
 * are valid.
 */
function invalidName(input: string, expected: string, normalized: string | undefined): Problem {
  const shown = input.length > 80 ? `${input.slice(0, 80)}…` : input;
  const rule =
    normalized === undefined
      ? " A label may contain up to 63 letters, digits and hyphens, and can't start or end with a hyphen."
      : '';
  return new Problem('invalid_name', `${JSON.stringify(shown)} is not ${expected}.${rule}`);
}
