// cspell:ignore bedingungen termos rminos voorwaarden
import { LRUCache } from 'lru-cache';
import type { SplitName } from '../../domain/names/domain-name.ts';
import type { Json, JsonObject } from '../../domain/registration.ts';
import { atMost } from '../../shared/lru.ts';
import { isObject } from '../../shared/shapes.ts';
import table from './notice-words.json' with { type: 'json' };
import { plainWords, withNamePlaceholders } from './error-words.ts';
import { getOrInsert } from '../../shared/memoize.ts';

/**
 * Returns the sentences of an RDAP error outside its title and description that may state something
 * about the name, or that the lookup has failed, as plain words. They contradict a "not found":
 * Google's registry gives the reason of a 404 in a notice only. Boilerplate about the service, about
 * names in the plural or about the TLD states nothing, unless `isKnown` recognizes it. Undefined if
 * there is more text than can be read.
 */
export function statementsIn(
  error: JsonObject | undefined,
  split: SplitName,
  isKnown: (words: string) => boolean,
): readonly string[] | undefined {
  const texts = Object.entries(error ?? {}).flatMap(([member, value]) =>
    isOwnText.has(member) ? [] : textsOf(member, value),
  );
  const key = texts.map(({ text, isTerms }) => `${isTerms}${text}`).join('\n');
  if (key.length > maxNoticeLength) return undefined;
  const read = () => readStatements(texts, split, isKnown);
  const lowerCase = key.toLowerCase();
  if (lowerCase.includes(split.label)) return read();

  // The text may have the suffix of an IDN in Unicode.
  const mayHaveSuffix = split.suffix.includes('xn--') || lowerCase.includes(split.suffix);
  return getOrInsert(statements, `${mayHaveSuffix ? split.suffix : ''}\n${key}`, read);
}

/**
 * Statements by text without the name, and by the suffix if it may be in the text: a registry sends the
 * same notices for every name of hundreds of TLDs.
 */
const statements = new LRUCache<string, readonly string[]>(atMost(200));

function readStatements(
  texts: readonly Text[],
  split: SplitName,
  isKnown: (words: string) => boolean,
): readonly string[] {
  return texts.flatMap(({ text, isTerms }) =>
    text
      .replaceAll(/\b(?:https?:|www\.)\S+/g, ' ')
      .split(/[.!?;](?=\s|$)|\n/)
      .map((sentence) => (/^[\w-]+$/.test(sentence) ? separated(sentence) : sentence))
      .map((sentence) => withLabel(plainWords(withNamePlaceholders(sentence, split)), split.label))
      .filter((words) => words !== ' ')
      .filter(
        (words) =>
          isStatement(words, isTerms) ||
          (isTerms && words.length < maxKnownLength && isKnown(words)),
      ),
  );
}

/** Members that are classified on their own, or say nothing about names. */
const isOwnText = new Set(['errorCode', 'title', 'description', 'rdapConformance', 'lang']);
const isNoText = new Set(['href', 'rel', 'hreflang', 'media', 'lang']);

/** Longer sentences of terms are not compared with the known ones, which takes time. */
const maxKnownLength = 50;
/** The longest known notices have 6,000 characters. */
const maxNoticeLength = 30_000;

interface Text {
  readonly text: string;
  /** Whether the title says that the text is about the service. */
  readonly isTerms: boolean;
}

/** Returns all texts in a member. A member such as `"reserved": true` is a text, too. */
function textsOf(member: string, value: Json, isTerms = false): readonly Text[] {
  if (isNoText.has(member) || isEmpty(value) || isIdentifier(member, value)) return [];
  if (typeof value === 'string') return [{ text: `${value}\n${flagOf(member, value)}`, isTerms }];
  if (Array.isArray(value) && value.every((line) => typeof line === 'string'))
    return [
      {
        text: `${joinLines(value)}\n${value.map((line) => flagOf(member, line)).join('\n')}`,
        isTerms,
      },
    ];
  if (!isObject(value)) {
    return Array.isArray(value)
      ? value.flatMap((entry: Json) => textsOf(member, entry, isTerms))
      : [{ text: flagOf(member, value), isTerms }];
  }

  const isAboutService = termsTitle.test(String(value['title'] ?? ''));
  return Object.entries(value).flatMap(([key, inner]) =>
    textsOf(key, inner, isAboutService && key !== 'title'),
  );
}

/** Returns whether a value is null, or a text, list or object without content. */
export function isEmpty(value: Json | undefined): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === undefined || value === null || value === '';
}

/** Returns whether a member identifies a response, as in `"requestId": "reserved-12"`. */
function isIdentifier(member: string, value: Json): boolean {
  const name = separated(member).toLowerCase();
  if (typeof value !== 'string') return false;
  if (/\b(?:request|trace|correlation|transaction|session) id$/.test(name)) return true;
  return /\b(?:id|uuid)$/.test(name) && /^(?=.*\d)[\w:.-]+$/.test(value);
}

/** Joins the lines of a text, which may break a sentence anywhere, but not before a capital. */
function joinLines(lines: readonly string[]): string {
  return lines.join('\n').replaceAll(/\n(?!\s*\p{Lu})/gu, ' ');
}

const termsTitle =
  /\b(?:terms?|conditions?|legal|copyright|disclaimer|rate limits?|limits|trade ?marks?|privacy|policy|policies|status codes|complaint|about|help|\w*bedingungen|termos|t[eé]rminos|termini|voorwaarden)\b/i;

/** Returns a statement for a member whose name and value say that a name is not free. */
function flagOf(member: string, value: Json): string {
  const name = separated(member).toLowerCase();
  const isFalse = /^(?:false|no|none|null|0|)$/i.test(String(value));
  if (saysFree.test(name))
    return /^(?:true|yes|1|available|free)$/i.test(String(value)) ? '' : 'not available';
  if (/\bstatus(?:es)?$/.test(name)) return `status ${String(value)}`;
  if (/\bexists?$/.test(name)) return isFalse ? '' : 'already exists';

  return !isFalse && name.length < 40 && taken.test(` ${name} `) ? name : '';
}

const saysFree =
  /\b(?:avail|available|availability|free|registrable|orderable|purchasable|allowed|can (?:be )?register(?:ed)?)\b/;

/** Returns the words of an identifier such as `isReserved`, `NOT_AVAILABLE` or `reserved-name`. */
function separated(identifier: string): string {
  return identifier.replaceAll(/(?<=[a-z])(?=[A-Z])|[_-]/g, ' ');
}

/** The label counts only after such a word, because it may be any word: `service.example`. */
function withLabel(words: string, label: string): string {
  const before = ['label', 'string', 'the name', 'the domain', 'the domain name', 'this name'];
  return before.reduce(
    (text, noun) => text.replaceAll(` ${noun} ${label} `, ` ${noun} NAME `),
    words,
  );
}

const subjects =
  "(?:(?:this|that|(?:the |this |your )?(?:requested|queried|searched|specified))(?: requested| queried| second[- ]level)? (?:domain name|domain|name|label|string|object|registration)|(?:the )?(?:(?:domain name|domain|name|label|string) )?NAME)(?:'s)?(?! (?:system|server|servers|holder|registry|service|database|information|query|data)\\b)";
const subjectFirst = new RegExp(`^ (?:registration of )?${subjects} [a-z]`, 'u');
const subject = new RegExp(` ${subjects} `, 'u');
const definite =
  / the (?:domain name|domain|name|label|string) (?:is|was|has|may|can|cannot|must|will|falls|belongs) /;

function wordPattern(patterns: readonly string[]): RegExp {
  return new RegExp(` (?:${patterns.join('|')}) `, 'u');
}

/** Words that, in the singular, say why a name cannot be registered by everyone. */
const taken = wordPattern([
  ...table.taken,
  ...table.takenInOtherLanguages.map((words) => `(?<! ${table.not} )(?:${words})`),
  ...table.notFree,
]);

/** Words in front of which these do not count. */
const negated =
  / (?:not|never|isn't|hasn't|no longer|neither)(?: (?:been|currently|yet|a))* (?:registered|reserved|blocked|restricted|delegated|allocated|assigned|taken|in use)(?= )/g;

/** Words that say that the lookup was refused or has failed, so that the name is not known. */
const failed = wordPattern(table.failed);

/** What a short sentence is about if it is not about the name. */
const otherSubject = wordPattern(table.other);
const suffixFirst =
  /^ (?:(?:the|this|all of|our) )?(?:tlds?|TLD|top-level domain|zone|registry(?! (?:reserved|blocked|hold|lock))|extension|suffix) /;

const singularFirst =
  /^ (?:registry )?(?:reserved|blocked|restricted|premium|prohibited|unavailable)(?: (?:second-level )?(?:domain name|domain|name|label|string))? (?:contact|please|for (?:more|further|details)|see|at|by) /;

/** A longer sentence needs a subject. */
const maxShortWords = 12;

function isStatement(words: string, isTerms: boolean): boolean {
  if (subjectFirst.test(words)) return true;

  const isShort = words.trim().split(' ').length <= maxShortWords;
  if (isShort && !isTerms && !words.startsWith(' if ') && failed.test(words)) return true;
  const isTaken = taken.test(words.replaceAll(negated, ' '));
  if (!isTaken) return false;
  if (subject.test(words)) return true;
  if (isTerms) return false;
  if (singularFirst.test(words)) return true;

  return definite.test(words) || (isShort && !otherSubject.test(words) && !suffixFirst.test(words));
}
