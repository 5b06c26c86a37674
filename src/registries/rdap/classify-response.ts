import { isSameName, splitName, type DomainName } from '../../domain/names/domain-name.ts';
import type { Json, JsonObject } from '../../domain/registration.ts';
import type { FailureKind } from '../../domain/answer.ts';
import type { Verdict } from '../../domain/verdict.ts';
import { Problem } from '../../domain/problems.ts';
import type { RegistryResponse } from '../../outbound/client.ts';
import { asObject, hasClass, readJson } from './json.ts';
import { withMemberNames } from './member-names.ts';
import { statesLimit } from './error-words.ts';
import { meaningOfFree, verdictOfObject } from './free-name.ts';
import { classifyNotFoundText, errorText, statesAccessPeriod } from './not-found-text.ts';
import type { RejectionStreak } from './rejection-streak.ts';
import { variantVerdict } from './variants.ts';
import { quoted } from '../../shared/printable.ts';

/** The parts of an HTTP response that determine the verdict. */
export interface RdapResponse
  extends
    Pick<RegistryResponse, 'status' | 'mediaType' | 'isDelimited'>,
    Partial<Pick<RegistryResponse, 'retryAfter' | 'ageSeconds'>> {
  readonly isEmpty: boolean;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: Json | undefined;
  /** The response is from the queried host, or one under the same registrable domain. */
  readonly isOwnHost: boolean;
  /** This server's 404s are trusted for names under this suffix. */
  readonly is404Trusted: boolean;
  /** The value of `Content-Length`, because the bodies of most statuses are not read. */
  readonly contentLength?: string | undefined;
  /** The server says, or shows by its rejections, that it limits queries. */
  readonly statesLimit?: boolean;
}

/**
 * Hosts that return 404 without a body or a length: Verisign's for .com and .net, in a capture of
 * 2021-12-17.
 */
const undelimitedHosts = new Set(['rdap.verisign.com']);

interface Queried {
  readonly key: string;
  readonly rejections: RejectionStreak;
}

/** Returns the parts of a response of a server that determine the verdict. */
export function toRdapResponse(
  response: RegistryResponse,
  baseUrl: string,
  isOwnHost: boolean,
  is404Trusted: boolean,
  lookup: Queried,
): RdapResponse {
  const { status, mediaType, body, retryAfter, ageSeconds } = response;
  return {
    status,
    mediaType,
    isEmpty: body.length === 0,
    isDelimited: response.isDelimited || undelimitedHosts.has(new URL(baseUrl).host),
    json: readJson(body),
    isOwnHost,
    is404Trusted,
    contentLength: response.header('content-length'),
    retryAfter,
    statesLimit: limitsQueries(response, lookup),
    ageSeconds,
  };
}

const maxRejectionBytes = 10_000;

function limitsQueries({ status, body }: RegistryResponse, { key, rejections }: Queried): boolean {
  const rejectsAll = rejections.add(status, key);
  if (status === 200 || status === 404) return false;
  return rejectsAll || statesLimit(Buffer.from(body).toString('utf8', 0, maxRejectionBytes), key);
}

/** A verdict with the domain object of a registered name, or the reason why there is no verdict. */
export interface Classification extends Failed {
  readonly verdict?: Verdict;
  /** With the names of members that RFC 9083 has. */
  readonly object?: JsonObject;
  /** Set if the verdict is based on "not found": an RDAP error, a free name, or a 404 without a body. */
  readonly notFoundEvidence?: 'explicit' | 'empty';
  /** The text of a 404 that is not recognized as "not found". */
  readonly text?: string;
  /** The registry sells the name in an Expiry Access Period. */
  readonly isInAccessPeriod?: boolean;
}

/** Why a response has no answer. */
export interface Failed {
  readonly problem?: Problem;
  /** The kind of failure, if a retry may help. */
  readonly failure?: FailureKind;
}

/**
 * Returns the verdict of an HTTP response. AVAILABLE requires proof: an RDAP "not found" from the
 * registry's own server, for a suffix that it sells. Everything that is not recognized is UNKNOWN.
 */
export function classifyResponse(response: RdapResponse, name: DomainName): Classification {
  const classification = classifyStatus(response, name);
  const isOutdated =
    classification.verdict === 'AVAILABLE' &&
    (response.ageSeconds ?? 0) > maxAvailableResponseAgeSeconds;

  return isOutdated
    ? untrusted('a response that an intermediate cache may have held for more than a minute')
    : classification;
}

/**
 * Maximum age of a response from an intermediate cache, in seconds. An older one does not prove
 * that a name is available, or that a server still finds names.
 */
export const maxAvailableResponseAgeSeconds = 60;

function classifyStatus(response: RdapResponse, name: DomainName): Classification {
  const { status } = response;
  if (status === 200) return classifyFound(response, name);
  if (status !== 404) return classifyFailure(response);
  return isNotFound(response)
    ? classifyNotFound(response, name)
    : untrusted('a 404 that is not an RDAP response');
}

/** Returns the failure of a response with any other status than 200 and 404. */
export function classifyFailure(response: RdapResponse): Failed {
  const { status, retryAfter } = response;
  const isLimit = status === 429 || status === 503 || response.statesLimit;
  if (isLimit || (status >= 400 && retryAfter !== undefined)) return busy(response);
  if (status >= 500)
    return {
      ...unknown('registry_error', `The registry returned status ${status}.`),
      failure: serverFailure(response),
    };

  // A rejection (400, 403 …) says nothing about the name.
  return unknown('registry_error', `The registry rejected the query with status ${status}.`);
}

/**
 * Returns the failure kind of a 5xx status other than 503. A 500 with a body shows that the host is
 * up; a proxy's 502 or 504 that it is down.
 */
export function serverFailure({
  status,
  contentLength,
}: Pick<RdapResponse, 'status' | 'contentLength'>): FailureKind {
  return contentLength === '0' || status === 502 || status === 504 ? 'down' : 'server_error';
}

function classifyFound(response: RdapResponse, name: DomainName): Classification {
  const sent = asObject(response.json);
  if (!sent) return untrusted('a response that is not a JSON object');

  const object = withMemberNames(sent);
  if (isNotFoundError(object)) return classifyNotFound(response, name);
  if (!hasClass(object, 'domain') || 'errorCode' in object)
    return untrusted('a response that is not a domain object');

  if (!matchesName(object, name)) {
    const ofVariant = variantVerdict(object, name);
    return ofVariant ? { verdict: ofVariant, object } : untrusted('the object of another domain');
  }

  const verdict = verdictOfObject(object);
  if (verdict !== 'AVAILABLE') return { verdict, object };

  return response.isOwnHost
    ? classifyFree(object, name)
    : untrusted('a redirect to another host, which reports the name as available');
}

/** Returns what the object of a free name means: it is a "not found". */
function classifyFree(object: JsonObject, name: DomainName): Classification {
  const meaning = meaningOfFree(object, splitName(name));
  if (meaning === 'contradicted')
    return untrusted('an object that calls the name free, and states something else about it');

  return {
    verdict: meaning === 'withheld' ? 'RESERVED' : 'AVAILABLE',
    notFoundEvidence: 'explicit',
  };
}

function classifyNotFound(response: RdapResponse, name: DomainName): Classification {
  if (!response.isOwnHost)
    return untrusted('a redirect to another host, which does not find the name');
  if (!response.is404Trusted)
    return untrusted('a 404, which is not trusted from this server for this suffix');

  const error = withMemberNames(asObject(response.json) ?? {});
  const meaning = classifyNotFoundText(error, name);
  if (meaning === 'another name') return untrusted('a 404 for another name');
  if (meaning === 'contradicted')
    return untrusted('a 404 whose notices or members state something else about the name');

  if (meaning === 'unrecognized') {
    const text = errorText(error).slice(0, maxTextLength);
    return {
      ...untrusted(`a 404 that does not clearly say "not found": ${quoted(text, maxTextLength)}`),
      text,
    };
  }

  return {
    verdict: meaning === 'withheld' ? 'RESERVED' : 'AVAILABLE',
    notFoundEvidence: response.isEmpty ? 'empty' : 'explicit',
    ...(statesAccessPeriod(error) && { isInAccessPeriod: true }),
  };
}

/** Maximum length of a registry's text in a problem detail, in characters. */
const maxTextLength = 200;

/** Returns whether a 404 is one of an RDAP server. */
export function isNotFound(response: RdapResponse): boolean {
  return isRdapNotFound(response) || isEmptyNotFound(response);
}

/**
 * Returns whether the body is an RDAP error with code 404 (RFC 9083 section 6) and not also an
 * object. RedDog sends the code as a string.
 */
export function isRdapNotFound({ json }: Pick<RdapResponse, 'json'>): boolean {
  return isNotFoundError(withMemberNames(asObject(json) ?? {}));
}

function isNotFoundError(object: JsonObject): boolean {
  if ('objectClassName' in object) return false;
  return object['errorCode'] === 404 || object['errorCode'] === '404';
}

/**
 * Verisign's "not found" has an RDAP media type and no body. An empty body whose end is not marked
 * may be truncated.
 */
function isEmptyNotFound({ isEmpty, isDelimited, mediaType }: RdapResponse): boolean {
  return isEmpty && isDelimited && /^(?:application|text)\/(?:rdap\+)?json$/.test(mediaType);
}

/** Returns whether a domain object has this name, ignoring case. */
export function matchesName(object: JsonObject, name: DomainName): boolean {
  const objectName = [object['ldhName'], object['unicodeName']].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return typeof objectName === 'string' && isSameName(objectName, name);
}

/** How long a server is not queried that limits queries without `Retry-After`, in seconds. */
const limitBackoffSeconds = 60;

/** Returns the failure of a response of a server that limits the queries of this gateway. */
export function busy({ status, retryAfter, statesLimit: isStated = false }: RdapResponse): Failed {
  const reason = isStated ? ' and limits queries' : '';
  const problem = new Problem('registry_busy', `The registry returned status ${status}${reason}.`, {
    retryAfter: retryAfter ?? (isStated ? limitBackoffSeconds : undefined),
  });
  return { problem, failure: 'busy' };
}

/** Returns the answer of a response that proves nothing; `content` says what was sent. */
export function untrusted(content: string): Failed {
  return unknown('untrusted_answer', `The registry sent ${content}.`);
}

function unknown(code: 'registry_error' | 'untrusted_answer', detail: string): Failed {
  return { problem: new Problem(code, detail) };
}
