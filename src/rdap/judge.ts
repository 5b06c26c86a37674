import type { DomainName } from '../domain/domain-name.ts';
import { isSameName, splitName, toUnicodeName } from '../domain/domain-name.ts';
import type { Json, JsonObject } from '../domain/registration.ts';
import { verdictOfStatuses, type Verdict } from '../domain/verdict.ts';
import { Problem } from '../problems.ts';
import { asObject, listOf } from './json.ts';
import { readStatuses } from './parse.ts';

/** What the judge looks at. */
export interface HttpAnswer {
  readonly status: number;
  /** Lower case, without parameters; empty when absent. */
  readonly mediaType: string;
  readonly empty: boolean;
  /** The body as JSON; undefined when it is none. */
  readonly json: Json | undefined;
  /** The host that was asked, or one under the same registrable domain, sent it. */
  readonly ownHost: boolean;
  /** This server's "not found" is proof for names under this suffix. */
  readonly absenceCounts: boolean;
  /** Seconds, from `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** Seconds, from `Age`. */
  readonly age?: number;
}

/** A verdict, with the domain object where the name is held, or why there is none. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly object?: JsonObject;
  readonly problem?: Problem;
  /** The verdict rests on absence: the server said so in RDAP's terms, or sent a 404 with no body. */
  readonly absence?: 'stated' | 'silent';
  /** The host asks to be left alone, or is broken: asking once more may help. */
  readonly failure?: 'busy' | 'down';
}

/**
 * The verdict on one HTTP answer. AVAILABLE is given on proof alone: a "not found" that says so in RDAP's own terms, from the registry's
 * own server, for a suffix that this server sells. Everything that is not understood is UNKNOWN.
 */
export function judge(answer: HttpAnswer, name: DomainName): Judgement {
  const judgement = judgeAnswer(answer, name);
  const isOldFree = judgement.verdict === 'AVAILABLE' && (answer.age ?? 0) > oldestFree;
  return isOldFree ? untrusted('an answer that was kept on the way for more than a minute') : judgement;
}

/** Seconds for which something on the way may have kept a "free": we may have learned better since. */
const oldestFree = 60;

function judgeAnswer(answer: HttpAnswer, name: DomainName): Judgement {
  const { status } = answer;
  if (status === 200) return judgeFound(answer, name);
  if (status === 404)
    return saysAbsent(answer) || isEmptyRdap(answer) ? judgeAbsent(answer, name) : untrusted('a 404 that is no RDAP answer');
  if (status === 429 || status === 503) return busy(answer);
  if (status >= 500) return { ...unknown('registry_error', `The registry answered ${status}.`), failure: 'down' };
  // A refusal is no verdict: 400, 403 and their like say nothing about the name.
  return unknown('registry_error', `The registry refused the question with status ${status}.`);
}

function judgeFound(answer: HttpAnswer, name: DomainName): Judgement {
  const object = asObject(answer.json);
  if (!object) return untrusted('something that is no JSON object');
  if (saysAbsent(answer)) return judgeAbsent(answer, name);
  if (object['objectClassName'] !== 'domain' || 'errorCode' in object) return untrusted('something that is no domain object');
  if (!isAbout(object, name)) return untrusted("another domain's object");
  const verdict = verdictOf(object);
  if (verdict !== 'AVAILABLE') return { verdict, object };
  return answer.ownHost ? { verdict } : untrusted('a redirect to somebody else, who says that the name is free');
}

/** Nothing but plain words for "free" make a name free; statuses that cannot all be read may hold another. */
function verdictOf(object: JsonObject): Verdict {
  const verdict = verdictOfStatuses(readStatuses(object['status']));
  if (verdict !== 'AVAILABLE') return verdict;
  const isPlain = [object['status']]
    .flat()
    .every((status) => typeof status === 'string' && verdictOfStatuses(readStatuses(status)) === 'AVAILABLE');
  return isPlain ? 'AVAILABLE' : 'REGISTERED';
}

function judgeAbsent(answer: HttpAnswer, name: DomainName): Judgement {
  if (!answer.ownHost) return untrusted('a redirect to somebody else, who does not know the name');
  if (!answer.absenceCounts) return untrusted('a 404, which is no proof from this server under this suffix');
  const words = wordsOf(asObject(answer.json), name);
  // Some hide behind it that they want to be asked less (RFC 7480 section 5.5).
  if (aboutTheCaller.test(words)) return untrusted('a 404 that speaks of who asks, not of the name');
  const isWithheld = withheld.test(words) || withheld.test(withoutWord(words, splitName(name).label));
  return { verdict: isWithheld ? 'RESERVED' : 'AVAILABLE', absence: answer.empty ? 'silent' : 'stated' };
}

/** RFC 9083 section 6: an error object, not a domain. */
function saysAbsent({ json }: HttpAnswer): boolean {
  const object = asObject(json);
  return object?.['errorCode'] === 404 && !('objectClassName' in object);
}

/** Verisign's "not found" has an RDAP media type and no body at all. */
function isEmptyRdap({ empty, mediaType }: HttpAnswer): boolean {
  return empty && /^(?:application|text)\/(?:rdap\+)?json$/.test(mediaType);
}

const withheld =
  /(?:not |un)available for registration|registry reserved|\b(?:name|domain) is reserved|\breserved (?:name|by)\b|\bprohibited (?:name|string)|\bblocked\b|\bdpml block\b/;
const aboutTheCaller =
  /\brate.?limit|\btoo many (?:requests|queries)|\bexcessive (?:quer|request|use)|\b(?:request|query) (?:rate|limit)|\byour (?:ip|address|network)\b.{0,60}\b(?:blocked|limited|banned|denied)\b/;

/** What an error says in its title and description. Notices hold every registry's boilerplate, so they are not read. */
function wordsOf(object: JsonObject | undefined, name: DomainName): string {
  const lines = [object?.['title'], object?.['description']].flatMap(listOf).flatMap(listOf);
  const words = lines
    .filter((line) => typeof line === 'string')
    .join(' ')
    .toLowerCase();
  // Many repeat the name that was asked for, or its label, and `unblocked.example` may be free.
  const { label } = splitName(name);
  const repeated = [name, toUnicodeName(name), `"${label}"`, `'${label}'`];
  const others = repeated.reduce((rest, its) => rest.replaceAll(its, ' '), words);
  // The sentence may run over lines, as they are an array of strings (RFC 9083 section 6), and closes where the name stood in it.
  return others.replace(quotes, ' ').replace(/\s+/g, ' ');
}

/** What stands around a name in a sentence; a dot behind it is its root. */
const quotes = /["'“”„‘’«»()[\]<>:]|(?<!\w)\./g;

function withoutWord(words: string, word: string): string {
  return words
    .split(' ')
    .filter((other) => other !== word)
    .join(' ');
}

/** Whether a domain object is that of the name, whatever its case. */
export function isAbout(object: JsonObject, name: DomainName): boolean {
  const written = [object['ldhName'], object['unicodeName']].find((value) => typeof value === 'string' && value !== '');
  return typeof written === 'string' && isSameName(written, name);
}

function busy({ status, retryAfter }: HttpAnswer): Judgement {
  const problem = new Problem('registry_busy', `The registry answered ${status}.`, retryAfter === undefined ? {} : { retryAfter });
  return { verdict: 'UNKNOWN', problem, failure: 'busy' };
}

function untrusted(what: string): Judgement {
  return unknown('untrusted_answer', `The registry sent ${what}.`);
}

function unknown(code: 'registry_error' | 'untrusted_answer', detail: string): Judgement {
  return { verdict: 'UNKNOWN', problem: new Problem(code, detail) };
}
