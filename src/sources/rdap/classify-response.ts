import type { DomainName } from '../../domain/domain-name.ts';
import { isSameName } from '../../domain/domain-name.ts';
import type { Json, JsonObject } from '../../domain/registration.ts';
import type { FailureKind } from '../../domain/source.ts';
import { verdictOfStatuses, type Verdict } from '../../domain/verdict.ts';
import { Problem } from '../../domain/problems.ts';
import { asObject } from './parser/json.ts';
import { errorText, classifyNotFoundText } from './not-found-text.ts';
import { readStatuses } from './parser/registration.ts';

/** What the judge looks at. */
export interface RdapResponse {
  readonly status: number;
  /** Lower case, without parameters; empty when absent. */
  readonly mediaType: string;
  readonly isEmpty: boolean;
  /** The server marked the end of the body, so that one cut off on the way would show. */
  readonly isDelimited: boolean;
  /** The body as JSON; undefined when it is none. */
  readonly json: Json | undefined;
  /** The host that was asked, or one under the same registrable domain, sent it. */
  readonly isOwnHost: boolean;
  /** This server's "not found" is proof for names under this suffix. */
  readonly is404Trusted: boolean;
  /** The value of `Content-Length`: the body of an error response is not read. */
  readonly contentLength?: string | undefined;
  /** Seconds, from `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** How long caches on the way have held it, in seconds; Infinity where that cannot be read. */
  readonly ageSeconds?: number;
}

/** A verdict, with the domain object where the name is held, or why there is none. */
interface Classification {
  readonly verdict: Verdict;
  readonly object?: JsonObject;
  readonly problem?: Problem;
  /** The verdict rests on absence: the server said so in RDAP's terms, or sent a 404 with no body. */
  readonly notFoundEvidence?: 'explicit' | 'empty';
  /** What a 404 says, where that is not recognized as "not found". */
  readonly text?: string;
  /** How the host failed, if another attempt may help. */
  readonly failure?: FailureKind;
}

/**
 * The verdict on one HTTP answer. AVAILABLE is given on proof alone: a "not found" that says so in RDAP's own terms, from the registry's
 * own server, for a suffix that this server sells. Everything that is not understood is UNKNOWN.
 */
export function classifyResponse(response: RdapResponse, name: DomainName): Classification {
  const classification = classifyStatus(response, name);
  const isOutdated =
    classification.verdict === 'AVAILABLE' &&
    (response.ageSeconds ?? 0) > maxAvailableResponseAgeSeconds;
  return isOutdated
    ? untrusted('a response that a cache on the way may have held for more than a minute')
    : classification;
}

/** Seconds for which an intermediate cache may have held a response. An older one proves neither that a name is available nor that a server still finds names. */
export const maxAvailableResponseAgeSeconds = 60;

function classifyStatus(response: RdapResponse, name: DomainName): Classification {
  const { status } = response;
  if (status === 200) return classifyFound(response, name);
  if (status === 404)
    return isRdapNotFound(response) || isEmptyNotFound(response)
      ? classifyNotFound(response, name)
      : untrusted('a 404 that is no RDAP answer');
  if (status === 429 || status === 503) return busy(response);
  if (status >= 500)
    return {
      ...unknown('registry_error', `The registry answered ${status}.`),
      failure: serverFailure(response),
    };
  // A refusal is no verdict: 400, 403 and their like say nothing about the name.
  return unknown('registry_error', `The registry refused the question with status ${status}.`);
}

/** Returns what a 5xx status other than 503 says of the host. A 500 with a body shows that it is up; a gateway's 502 or 504 that it is not. */
export function serverFailure({
  status,
  contentLength,
}: Pick<RdapResponse, 'status' | 'contentLength'>): FailureKind {
  return contentLength === '0' || status === 502 || status === 504 ? 'down' : 'server_error';
}

function classifyFound(response: RdapResponse, name: DomainName): Classification {
  const object = asObject(response.json);
  if (!object) return untrusted('something that is no JSON object');
  if (isRdapNotFound(response)) return classifyNotFound(response, name);
  if (object['objectClassName'] !== 'domain' || 'errorCode' in object)
    return untrusted('something that is no domain object');
  if (!matchesName(object, name)) return untrusted("another domain's object");
  const verdict = verdictOf(object);
  if (verdict !== 'AVAILABLE') return { verdict, object };
  return response.isOwnHost
    ? { verdict }
    : untrusted('a redirect to somebody else, who says that the name is free');
}

/** Nothing but plain words for "free" make a name free; statuses that cannot all be read may hold another. */
function verdictOf(object: JsonObject): Verdict {
  const verdict = verdictOfStatuses(readStatuses(object['status']));
  if (verdict !== 'AVAILABLE') return verdict;
  const isPlain = [object['status']]
    .flat()
    .every(
      (status) =>
        typeof status === 'string' && verdictOfStatuses(readStatuses(status)) === 'AVAILABLE',
    );
  return isPlain ? 'AVAILABLE' : 'REGISTERED';
}

function classifyNotFound(response: RdapResponse, name: DomainName): Classification {
  if (!response.isOwnHost)
    return untrusted('a redirect to somebody else, who does not know the name');
  if (!response.is404Trusted)
    return untrusted('a 404, which is no proof from this server under this suffix');
  const error = asObject(response.json);
  const meaning = classifyNotFoundText(error, name);
  if (meaning === 'another name') return untrusted('a 404 for another name');
  if (meaning === 'unrecognized') {
    const text = errorText(error).slice(0, maxTextLength);
    return {
      ...untrusted(`a 404 that does not clearly say "not found": ${JSON.stringify(text)}`),
      text,
    };
  }
  return {
    verdict: meaning === 'withheld' ? 'RESERVED' : 'AVAILABLE',
    notFoundEvidence: response.isEmpty ? 'empty' : 'explicit',
  };
}

/** Characters of a registry's text that are repeated to clients. */
const maxTextLength = 200;

/** RFC 9083 section 6: an error object, not a domain. */
function isRdapNotFound({ json }: RdapResponse): boolean {
  const object = asObject(json);
  return object?.['errorCode'] === 404 && !('objectClassName' in object);
}

/** Verisign's "not found" has an RDAP media type and no body at all. An empty body whose end is not marked may be one that was cut off. */
function isEmptyNotFound({ isEmpty, isDelimited, mediaType }: RdapResponse): boolean {
  return isEmpty && isDelimited && /^(?:application|text)\/(?:rdap\+)?json$/.test(mediaType);
}

/** Whether a domain object is that of the name, whatever its case. */
export function matchesName(object: JsonObject, name: DomainName): boolean {
  const objectName = [object['ldhName'], object['unicodeName']].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return typeof objectName === 'string' && isSameName(objectName, name);
}

function busy({ status, retryAfter }: RdapResponse): Classification {
  const problem = new Problem(
    'registry_busy',
    `The registry answered ${status}.`,
    retryAfter === undefined ? {} : { retryAfter },
  );
  return { verdict: 'UNKNOWN', problem, failure: 'busy' };
}

function untrusted(content: string): Classification {
  return unknown('untrusted_answer', `The registry sent ${content}.`);
}

function unknown(code: 'registry_error' | 'untrusted_answer', detail: string): Classification {
  return { verdict: 'UNKNOWN', problem: new Problem(code, detail) };
}
