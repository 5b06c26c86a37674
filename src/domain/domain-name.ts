import { toASCII, toUnicode } from 'tr46';
import { Problem } from './problems.ts';

declare const brand: unique symbol;

/** A lower-case A-label name of at least two labels, e.g. `xn--bcher-kva.example`. Made only by `parseDomainName`. */
export type DomainName = string & { readonly [brand]: true };

// UTS-46, non-transitional (`faß` is not `fass`); IDNA2008's repertoire is left to the registry.
const uts46 = {
  checkBidi: true,
  checkHyphens: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  transitionalProcessing: false,
  ignoreInvalidPunycode: false,
} as const;

/**
 * Reads a whole name as a person types it: any case, U-labels or A-labels, full-width dots, one trailing dot, spaces around.
 * Throws `invalid_name` for everything that is no host name of two labels or more, such as an address, a URL or `a_b.com`.
 */
export function parseDomainName(input: string): DomainName {
  const name = normalizeName(input);
  if (!name?.includes('.') || endsInNumber.test(name))
    throw invalidName(input, 'a domain name such as example.com', name);
  return name as DomainName;
}

/** Reads one label, e.g. `Bücher` → `xn--bcher-kva`. Throws `invalid_name`. */
export function parseLabel(input: string): string {
  const label = normalizeName(input);
  if (!label || label.includes('.'))
    throw invalidName(input, 'one label of a domain name, such as example', label);
  return label;
}

/** Reads what a suffix is to be put behind: one label, or several (`example.co`, for `uk`). Throws `invalid_name`. */
export function parseLabels(input: string): string {
  const labels = normalizeName(input);
  if (!labels) throw invalidName(input, 'one label of a domain name, such as example', labels);
  return labels;
}

/** Reads a TLD or a longer suffix, one leading dot forgiven: `.CO.UK` → `co.uk`. Throws `invalid_name`. */
export function parseSuffix(input: string): string {
  const suffix = normalizeName(withoutLeadingDot(input.trim()));
  if (!suffix || endsInNumber.test(suffix))
    throw invalidName(input, 'a TLD or suffix such as com or co.uk', suffix);
  return suffix;
}

/** The U-label form for people: `xn--bcher-kva.example` → `bücher.example`. What is too long for a name stays: decoding would take long. */
export function toUnicodeName(name: string): string {
  return name.length <= maxNameLength && name.includes('xn--')
    ? toUnicode(name, uts46).domain
    : name;
}

/** Whether a name in a registry's answer, in whatever form it is written there, is this name. */
export function isSameName(input: string, name: DomainName): boolean {
  return input.toLowerCase() === name || normalizeName(input) === name;
}

/** The part of a name before its first dot, and the rest: `example.co.uk` → `example`, `co.uk`. */
export function splitName(name: DomainName): { label: string; suffix: string } {
  const dot = name.indexOf('.');
  return { label: name.slice(0, dot), suffix: name.slice(dot + 1) };
}

/** An entry of a list as it was typed, for the row that says it is no name. */
export function rawInputOf(name: string, tld?: string): string {
  return tld === undefined
    ? name.trim()
    : `${name.trim().replace(/[.。．｡]$/, '')}.${withoutLeadingDot(tld.trim())}`;
}

/** The dot of `.com`, in any script. */
export function withoutLeadingDot(input: string): string {
  return input.replace(/^[.。．｡]/, '');
}

const ldhName = /^(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)*(?!-)[a-z0-9-]{1,63}(?<!-)$/;
// A last label that reads as a number makes an IPv4 address of the name (WHATWG URL, "ends in a number").
const endsInNumber = /(?:^|\.)(?:\d+|0x[\da-f]*)$/;
const maxNameLength = 253;
const maxInputLength = 512;
// An A-label of 63 letters stands for fewer; typed in decomposed form they may be twice as many.
const maxInputLabelLength = 126;

function normalizeName(input: string): string | undefined {
  const trimmed = input.trim();
  // Nothing this long is a name, and the mapping below is slower than reading; ASCII names are most names and need no mapping.
  if (trimmed.length > maxInputLength) return undefined;
  const ascii = toAscii(trimmed)?.replace(/\.$/, '');
  return ascii !== undefined && ascii.length <= maxNameLength && ldhName.test(ascii)
    ? ascii
    : undefined;
}

function toAscii(input: string): string | undefined {
  const lower = input.toLowerCase();
  if (/^[a-z0-9.-]*$/.test(lower) && !/(?:^|\.)..--/.test(lower)) return lower;
  return mapToAscii(input);
}

/** Takes some 50 µs. */
function mapToAscii(input: string): string | undefined {
  if (input.split(/[.。．｡]/).some((label) => label.length > maxInputLabelLength)) return undefined;
  const ascii = toASCII(input, { ...uts46, verifyDNSLength: false }) ?? undefined;
  if (!ascii) return undefined;
  const unicode = toUnicode(ascii, uts46);
  // An A-label that does not come back from its U-label is somebody's trick.
  return !unicode.error && toASCII(unicode.domain, { ...uts46, verifyDNSLength: false }) === ascii
    ? ascii
    : undefined;
}

/** What could be read, and is another thing than is wanted, breaks no rule of labels: only of the rest is the rule said. */
function invalidName(input: string, expected: string, normalized: string | undefined): Problem {
  const shown = input.length > 80 ? `${input.slice(0, 80)}…` : input;
  const rule =
    normalized === undefined
      ? ' A label is at most 63 letters, digits and hyphens, no hyphen at an end.'
      : '';
  return new Problem('invalid_name', `${JSON.stringify(shown)} is not ${expected}.${rule}`);
}
