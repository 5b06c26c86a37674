import { isSameName, splitName, toUnicodeName, type DomainName } from '../../domain/domain-name.ts';
import type { Json, JsonObject } from '../../domain/registration.ts';
import { listOf, objectsOf } from './parser/json.ts';

/** What the text of an RDAP error means for the name. */
type NotFoundMeaning = 'not found' | 'withheld' | 'another name' | 'unrecognized';

/**
 * Returns the title and description of an RDAP error (RFC 9083 section 6), joined. Notices contain
 * boilerplate and are ignored.
 */
export function errorText(error: JsonObject | undefined): string {
  return linesOf(error)
    .filter((line) => typeof line === 'string')
    .join(' ');
}

function linesOf(error: JsonObject | undefined): readonly Json[] {
  return [error?.['title'], error?.['description']].flatMap(listOf).flatMap(listOf);
}

/** Members of a domain object, which contradict a "not found". */
const domainMembers = ['status', 'nameservers', 'events', 'handle', 'secureDNS'];

/**
 * Classifies the text of an RDAP error. Only an empty text or a recognized "not found" without
 * further content means that the name does not exist: registries also return 404 during
 * maintenance, for rejected callers and for names that they withhold.
 */
export function classifyNotFoundText(
  error: JsonObject | undefined,
  name: DomainName,
): NotFoundMeaning {
  const text = errorText(error);
  if (mentionsOtherName(error, text.toLowerCase(), name)) return 'another name';
  if (
    linesOf(error).some((line) => typeof line !== 'string') ||
    domainMembers.some((member) => error?.[member] !== undefined)
  ) {
    return 'unrecognized';
  }
  const words = plainWords(withoutName(text, name));
  const { label, suffix } = splitName(name);
  // The text may also repeat only the label, which may itself be a significant word: `not.example`,
  // `reserved.example`.
  const variants = [words, withoutWords(words, [label, ...suffix.split('.')])];
  if (callerRejected.test(words)) return 'unrecognized';
  if (variants.some((reading) => withheld.test(reading))) return 'withheld';
  return variants.some(isNotFound) ? 'not found' : 'unrecognized';
}

/**
 * Returns whether the text of an RDAP error says that the server did not look the object up: it
 * rejects the caller, does not support the lookup, or is out of service.
 */
export function refusesLookup(error: JsonObject | undefined): boolean {
  const words = plainWords(errorText(error).toLowerCase());
  return callerRejected.test(words) || lookupRefused.test(words);
}

const lookupRefused =
  /\b(?:not |un)(?:supported|implemented)\b|\b(?:maintenance|temporary|temporarily|unavailable)\b|\b(?:access|permission) (?:is )?denied\b/;

const withheld =
  /(?:not |un)available for registration|registry reserved|\b(?:name|domain) is reserved|\breserved (?:name|by)\b|\bprohibited (?:name|string)|\bblocked\b|\bdpml block\b/;

/**
 * Some servers return 404 to a caller that exceeds a rate limit (RFC 7480 section 5.5), and may
 * call it blocked.
 */
const callerRejected =
  /\brate.?limit|\btoo many (?:requests|queries)|\bexcessive (?:quer|request|use)|\b(?:request|query) (?:rate|limit)|\byour (?:ip|address|network)\b.{0,60}\b(?:blocked|limited|banned|denied)\b/;

const objectNouns =
  'objects?|domains?|domain names?|names?|data|information|match|matches|entr(?:y|ies)|records?|results?|items?|registration';

/** Phrases that mean that the name is not in the registry's database. */
const notFoundPhrases = [
  'not (?:be |been )?found',
  `(?:is|was|are) ?n[o']t (?:(?:currently|yet) )?registered`,
  'not (?:(?:currently|yet) )?registered',
  'unregistered',
  '(?:does|do|did) not exist',
  "doesn't exist",
  'non-?existent',
  'no longer exists',
  "(?:could|can|did) ?(?:not|n't) (?:be )?(?:find|found|locate|located)",
  "(?:cannot|can't|couldn't) (?:be )?(?:find|found|locate|located)",
  '(?:unable|failed) to (?:find|locate)',
  'has not found any(?:thing)?',
  `(?:did not return|returned) (?:any|no|0) (?:${objectNouns})`,
  `no (?:such |matching |rdap |registration )*(?:${objectNouns})(?: (?:was |were )?found| available)?`,
  'is free',
];
const notFound = new RegExp(`\\b(?:${notFoundPhrases.join('|')})(?![\\p{L}\\p{N}'-])`, 'gu');

/**
 * Phrases that say where the registry searched, with their preposition: "database not found" must
 * not match.
 */
const searchContext =
  /\b(?:in|on|at|from|of|for|by|under|within|matching|match|to)(?: (?:the|this|our|that|your|a|an|any))?(?: (?:selected|registration|rdap|whois|registry|domain|requested))*(?: (?:database|server|registry|zone|tld|system|query|request-uri|request|search|criteria|sources?))+(?: s)?\b/g;

/** Words that may surround such a phrase without changing its meaning. */
const neutralWords = new Set(
  `a an the that this these your our any requested queried specified given provided following for of in on at by to with from under
  domain domains name names object objects resource resources record records entry entries data information result results item registration
  match matches matching key handle ldhname
  is are was were has have had been be it its there here which we you it's
  looking please check spelling see visit more details terms use
  error errors http code status processing request 404 sorry`.split(/\s+/),
);

function isNotFound(words: string): boolean {
  if (/\bno (?:\w+ )*(?:was|were) (?:given|specified|provided|supplied|entered|sent)\b/.test(words))
    return false;
  const withoutContext = words
    .replace(/\bthe (?:query|search) (?=did not return|returned)/g, '')
    .replace(
      /\b(?:the )?(?:server|registry|we) (?=(?:has|have|could|did|can)(?: not|n't)|unable|failed)/g,
      '',
    )
    .replace(searchContext, ' ');
  const rest = withoutContext.replace(notFound, ' ');
  const isNeutral = rest.split(' ').every((word) => word === '' || neutralWords.has(word));
  return (
    isNeutral &&
    (rest !== withoutContext || !/[a-z]/.test(words.replace(/\b(?:http|error|code|status)\b/g, '')))
  );
}

/**
 * Removes the name in every form in which servers repeat it, so that words within it do not count:
 * `unblocked.example` may be available.
 */
function withoutName(text: string, name: DomainName): string {
  const { label } = splitName(name);
  const forms = [name, toUnicodeName(name), `"${label}"`, `'${label}'`];
  // Splits `DomainNotFound` into three words.
  const separated = text
    .replace(/(?<![\w.-])(?:[A-Z][a-z]+){2,}(?![\w.-])/g, (word) =>
      word.replace(/([a-z])(?=[A-Z])/g, '$1 '),
    )
    .toLowerCase();
  return forms.reduce((rest, form) => rest.replaceAll(form, ' '), separated);
}

/**
 * Returns the words separated by single spaces, without URLs. The description is an array of lines
 * that may break a sentence anywhere.
 */
function plainWords(text: string): string {
  return text
    .replace(/\bhttps?:\S+/g, ' ')
    .replace(/[’‘]/g, "'")
    .replace(/[^\p{L}\p{N}'-]+|(?<![\p{L}\p{N}'-])['-]+|['-]+(?![\p{L}\p{N}'-])/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
}

function withoutWords(words: string, excluded: readonly string[]): string {
  return words
    .split(' ')
    .filter((word) => !excluded.includes(word))
    .join(' ');
}

/**
 * Returns whether the error mentions another name under the same suffix but not this one: it
 * answers another query.
 */
function mentionsOtherName(error: JsonObject | undefined, text: string, name: DomainName): boolean {
  const { suffix } = splitName(name);
  const mentioned = text
    .replace(/\bhttps?:\S+/g, ' ')
    .split(/[^\p{L}\p{N}.-]+/u)
    .map((word) => word.replace(/^\.+|\.+$/g, ''))
    .filter((word) => word.endsWith(`.${suffix}`));
  const members = [error?.['ldhName'], error?.['unicodeName']].filter(
    (value) => typeof value === 'string',
  );
  const links = objectsOf(error?.['links']).flatMap(({ rel, value, href }) =>
    rel === 'self' ? [value, href] : [value],
  );
  const others = [...mentioned, ...members, ...links.flatMap(domainOfUrl)];
  return others.length > 0 && !others.some((other) => isSameName(other, name));
}

/** Returns the name in an RDAP lookup URL (RFC 9082 section 3.1.3). */
function domainOfUrl(url: unknown): string[] {
  const [, domain] = typeof url === 'string' ? (/\/domain\/([^/?#]+)$/i.exec(url) ?? []) : [];
  return domain === undefined ? [] : [domain];
}
