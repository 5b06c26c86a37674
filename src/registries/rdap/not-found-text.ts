import { LRUCache } from 'lru-cache';
import {
  isSameName,
  splitName,
  type DomainName,
  type SplitName,
} from '../../domain/names/domain-name.ts';
import type { Json, JsonObject } from '../../domain/registration.ts';
import { atMost } from '../../shared/lru.ts';
import listed from './not-found-sentences.json' with { type: 'json' };
import { plainWords, statesLimit, withNamePlaceholders } from './error-words.ts';
import { listOf, objectsOf } from './json.ts';
import { isEmpty, statementsIn } from './stated-in-notices.ts';
import { asLowerCaseText } from './text.ts';
import { getOrInsert } from '../../shared/memoize.ts';

/** What the text of an RDAP error means for the name. */
export type NotFoundMeaning =
  'not found' | 'withheld' | 'another name' | 'unrecognized' | 'contradicted';

/** Returns the title and description of an RDAP error (RFC 9083 section 6), joined. */
export function errorText(error: JsonObject | undefined): string {
  return textOf(linesOf(error));
}

function textOf(lines: readonly Json[]): string {
  return lines.filter((line) => typeof line === 'string').join(' ');
}

function linesOf(error: JsonObject | undefined): readonly Json[] {
  return [error?.['title'], error?.['description']].flatMap(listOf).flatMap(listOf);
}

/** Members that other objects have, too: only lists and those of the error itself count. */
const domainMembers = new Set(['status', 'handle', 'created', 'expires']);
/** How other members of a registration begin, such as `nameServers` and `expiration_date`. */
const registrationMembers =
  'registrar registrant owner holder nameServer entities events publicId secureDNS creation createdAt createdOn createdDate expiration expiry expiresAt expiresOn'
    .toLowerCase()
    .split(' ');
/** Members with texts, which are read as such. */
const textMembers = new Set(['notices', 'remarks', 'links']);

/** Returns whether an object has members of a registration, at any depth. */
export function hasRegistration(json: Json, isRoot = true): boolean {
  if (Array.isArray(json)) return json.some((entry: Json) => hasRegistration(entry, isRoot));
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(json as JsonObject).some(([member, value]) => {
    const name = member.replaceAll(/[^a-z]/gi, '').toLowerCase();
    const isOfRegistration =
      name === 'ns' ||
      registrationMembers.some((start) => name.startsWith(start)) ||
      ((isRoot || Array.isArray(value)) && domainMembers.has(name));
    if (isOfRegistration && !isEmpty(value)) return true;
    return !textMembers.has(member) && hasRegistration(value, false);
  });
}

/**
 * Classifies the text of an RDAP error. Only an empty text or listed sentences mean that the name
 * does not exist: registries also return 404 during maintenance, for rejected callers and for names
 * that they withhold.
 */
export function classifyNotFoundText(
  error: JsonObject | undefined,
  name: DomainName,
): NotFoundMeaning {
  const lines = linesOf(error);
  const text = textOf(lines);
  const split = splitName(name);
  if (mentionsOtherName(error, text.toLowerCase(), split)) return 'another name';
  if (
    text.length > maxClassifiedLength ||
    lines.some((line) => typeof line !== 'string') ||
    hasRegistration(error ?? {})
  )
    return 'unrecognized';

  const words = plainWords(withNamePlaceholders(text, split));
  const label = ` ${split.label} `;
  const key = words.includes(label) ? `${words}\n${label}` : words;
  const meaning = getOrInsert(meanings, key, () => meaningOf(words, label));

  return meaning === 'not found' ? meaningInNotices(error, split) : meaning;
}

/**
 * Returns whether a "not found" says, wherever it does, that the name is sold at a price that falls
 * from day to day, because its registration has just expired.
 */
export function statesAccessPeriod(error: JsonObject): boolean {
  return /\bexpiry access period\b/i.test(JSON.stringify(error));
}

/** Returns what the notices and other members of a "not found" mean. */
export function meaningInNotices(error: JsonObject | undefined, split: SplitName): NotFoundMeaning {
  const statements = statementsIn(error, split, isWithheld)?.filter(
    (words) => !consistsOf(words, absentPatterns),
  );
  if (statements?.length === 0) return 'not found';
  return statements?.every(isWithheld) ? 'withheld' : 'contradicted';
}

function isWithheld(words: string): boolean {
  return consistsOf(words, withheldPatterns);
}

/** Meanings by words: a registry sends the same text for every name. */
const meanings = new LRUCache<string, NotFoundMeaning>(atMost(1000));

function meaningOf(words: string, label: string): NotFoundMeaning {
  if (words === ' ') return 'not found';
  if (consistsOf(words, additionalPatterns)) return 'unrecognized';
  if (consistsOf(words, absentPatterns)) return 'not found';

  // The text may also repeat only the label, which may itself be a significant word: "Domain
  // reserved is reserved", but also "This domain is reserved" for `reserved.example`.
  const withoutLabel = words.replaceAll(label, ' NAME ');
  return [words, withoutLabel].some(isWithheld) ? 'withheld' : 'unrecognized';
}

/** The longest known text of a registry has 170 characters. */
const maxClassifiedLength = 1_000;

/**
 * Returns whether a text consists of sentences that match these patterns. A sentence may end where
 * another one can also continue, so all ways to divide the text are tried.
 */
function consistsOf(words: string, patterns: readonly RegExp[]): boolean {
  const ends = new Set([1]);
  for (const start of ends) {
    for (const pattern of patterns) {
      pattern.lastIndex = start;
      if (pattern.test(words)) ends.add(pattern.lastIndex);
    }
  }

  return ends.has(words.length);
}

/**
 * The sentences of RDAP errors that state something about a name, in lower case and without
 * punctuation: `[]` encloses optional words, `{}` a variable, NAME is the queried name and TLD its
 * suffix. A text counts only if it consists of these sentences. Add a sentence only if it cannot be
 * part of an error report: "unable to process the request, no data" says nothing about a name. The
 * first value of a variable that matches is used, so a value that begins with another one precedes
 * it.
 */
const { absent, additional, withheld } = listed;
const variables: Readonly<Record<string, readonly string[]>> = listed.variables;

const additionalPatterns = patternsOf(additional);
const absentPatterns = [...patternsOf(absent), ...additionalPatterns];
const withheldPatterns = [...patternsOf(withheld), ...absentPatterns];

function patternsOf(sentences: readonly string[]): readonly RegExp[] {
  return sentences.map((sentence) => new RegExp(patternOf(`${sentence} `), 'y'));
}

/** Returns the regular expression of a listed sentence, or of a value of a variable. */
function patternOf(sentence: string): string {
  return sentence
    .replace(/\(/g, '(?:')
    .replace(/\[([^[\]]+)\] /g, '(?:(?:$1) )?')
    .replace(
      /\{(\w+)\}/g,
      (_, variable: string) => `(?:${(variables[variable] ?? []).map(patternOf).join('|')})`,
    );
}

/**
 * Returns whether the text of an RDAP error says that the server did not look the object up: it
 * rejects the caller, does not support the lookup, has failed or is out of service.
 */
export function refusesLookup(error: JsonObject | undefined): boolean {
  const words = plainWords(errorText(error).toLowerCase());
  return statesLimit(words) || lookupRefused.test(words);
}

const lookupRefused =
  /\b(?:not |un)(?:supported|implemented)\b|\b(?:maintenance|temporary|temporarily|unavailable)\b|\b(?:access|permission) (?:is )?denied\b|\b(?:internal|server|database|backend) error\b|\berror (?:processing|occurred|while)\b/;

/**
 * Returns whether the error mentions another name under the same suffix but not this one: it
 * answers another query.
 */
function mentionsOtherName(
  error: JsonObject | undefined,
  text: string,
  { ascii, suffix }: SplitName,
): boolean {
  const mentioned = text
    .replace(/\bhttps?:\S+/g, ' ')
    .split(/[^\p{L}\p{M}\p{N}.-]+/u)
    .map((word) => word.replace(/^\.+|(?<!\.)\.+$/g, ''))
    .filter((word) => word.endsWith(`.${suffix}`));
  const members = [error?.['ldhName'], error?.['unicodeName']].filter(
    (value) => typeof value === 'string',
  );
  // The value of a link is the URL of the response (RFC 9083 section 4.2). In notices, servers also
  // state other URLs there, such as `https://registry.example/domain/terms` and examples of the RFC.
  const texts = [error?.['notices'], error?.['remarks']].flat() as (JsonObject | null)[];
  const ofTld = texts.flatMap(namesInLinks).filter((name) => name.endsWith(`.${suffix}`));
  const others = [...mentioned, ...members, ...namesInLinks(error), ...ofTld];

  return others.length > 0 && !others.some((other) => isSameName(other, ascii));
}

/** Returns the names whose lookups the links of an object state. */
function namesInLinks(object: JsonObject | null | undefined): readonly string[] {
  const links = object?.['links'];
  if (!links) return [];
  return objectsOf(links)
    .flatMap(({ rel, value, href }) => (asLowerCaseText(rel) === 'self' ? [value, href] : [value]))
    .flatMap(domainOfUrl);
}

/** Returns the name in an RDAP lookup URL (RFC 9082 section 3.1.3). */
function domainOfUrl(url: unknown): string[] {
  const [, domain] = typeof url === 'string' ? (/\/domain\/([^/?#]+?)\.?$/i.exec(url) ?? []) : [];
  // A server may percent-encode the name, and the parser of URLs decodes hosts.
  return domain === undefined ? [] : [URL.parse(`http://${domain}`)?.hostname ?? domain];
}
