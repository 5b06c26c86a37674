import {
  lookupPath,
  type ObjectRef,
  type EntityRef,
  type IpRef,
  type AutnumRef,
  type ObjectType,
} from '../../domain/object-ref.ts';
import type { JsonObject } from '../../domain/registration.ts';
import { answerOf, type Answer, type RdapRecord } from '../../domain/answer.ts';
import type { ObjectQuery, Source } from '../../domain/source.ts';
import {
  toRdapResponse,
  classifyFailure,
  isNotFound,
  isRdapNotFound,
  untrusted,
  matchesName,
  type Failed,
  type RdapResponse,
} from './classify-response.ts';
import type { RegistryResponse } from '../../outbound/client.ts';
import { RejectionStreak } from './rejection-streak.ts';
import { isSameOperator } from './rdap-source.ts';
import { exchangeRdap, type CompletedExchange, type RdapOptions } from './rdap-exchange.ts';
import { refusesLookup } from './not-found-text.ts';
import { asObject, hasClass } from './json.ts';
import { withMemberNames } from './member-names.ts';
import { parseIpBlock } from '../../domain/names/ip-address.ts';
import { parseReverseZone } from '../../domain/names/reverse-zone.ts';
import { containsAll, isLarger, rangeOf } from './address-ranges.ts';
import { autnumOf } from './object-parser.ts';

/**
 * Returns a source that queries an RDAP server for objects other than domains (RFC 9082 section
 * 3.1). Null if it does not have an object. `is404Trusted`: a 404 proves that.
 */
export function objectSource(
  baseUrl: string,
  is404Trusted: boolean,
  options: RdapOptions,
): Source<ObjectQuery, RdapRecord | null> {
  const rejections = new RejectionStreak();

  function read(
    ref: ObjectRef,
    response: RegistryResponse,
    { sentAt, answeredAt, attempts }: CompletedExchange,
  ): Answer<RdapRecord | null> {
    const isOwnHost = isSameOperator(response.url, baseUrl);
    const key = ref.type === 'entity' ? ref.handle : ref.key.replace(/^\w+\//, '');
    const { object, problem, failure } = classifyObjectResponse(
      toRdapResponse(response, baseUrl, isOwnHost, is404Trusted, { key, rejections }),
      (json) => matchesObject(ref, json),
    );
    const record = object && { json: object, characters: response.body.length };

    return answerOf(problem ? undefined : (record ?? null), problem, {
      endpoint: baseUrl,
      sentAt,
      attempts,
      evidence: { httpStatus: response.status, mediaType: response.mediaType, unproven: false },
      ...(!problem && { checkedAt: answeredAt }),
      ...(failure && { failure }),
    });
  }

  return {
    id: baseUrl,
    lookup({ ref, language }, request) {
      const lookup = {
        baseUrl,
        path: lookupPath(ref),
        language,
        read: (response: RegistryResponse, exchange: CompletedExchange) =>
          read(ref, response, exchange),
      };
      return exchangeRdap(lookup, request, options);
    },
  };
}

/** The requested object; undefined if the server has none, or has not answered. */
interface ObjectResult extends Failed {
  readonly object?: JsonObject;
}

/** Returns the object if it `matches`. All that is not recognized is a problem. */
function classifyObjectResponse(
  response: RdapResponse,
  matches: (object: JsonObject) => boolean,
): ObjectResult {
  const { status, json } = response;
  if (status !== 200 && status !== 404) return classifyFailure(response);
  if (status === 404 ? isNotFound(response) : isRdapNotFound(response))
    return classifyObjectNotFound(response);
  if (status === 404) return untrusted('a 404 that is not an RDAP response');

  const object = asObject(json);
  if (!object) return untrusted('a response that is not a JSON object');

  const named = withMemberNames(object);
  return 'errorCode' in named || !matches(named)
    ? untrusted('a response that is not the requested object')
    : { object };
}

/**
 * Unlike that of a domain, the text need not be recognized as "not found": regional registries word
 * it in many ways.
 */
function classifyObjectNotFound(response: RdapResponse): Failed {
  const { json, isOwnHost, is404Trusted } = response;
  if (!isOwnHost) return untrusted('a redirect to another host, which does not find the object');
  if (!is404Trusted) return untrusted('a 404, which is not trusted from this server');
  return refusesLookup(asObject(json)) ? untrusted('a 404 that does not say "not found"') : {};
}

/**
 * Returns whether an object has the class that was looked up and is about `ref`: a network contains
 * the address or the whole network (RFC 9082 section 3.1.1), a block contains the number, a handle or
 * a host name is the same, ignoring case.
 */
export function matchesObject(ref: ObjectRef, object: JsonObject): boolean {
  if (!hasClass(object, classNames[ref.type])) return false;
  switch (ref.type) {
    case 'ip':
      return matchesNetwork(ref, object);
    case 'autnum':
      return matchesAutnum(ref, object);
    case 'entity':
      return matchesHandle(ref, object);
    case 'nameserver':
      return matchesName(object, ref.name);
    case 'reverse_zone':
      return parseReverseZone(String(object['ldhName']))?.name === ref.name;
  }
}

/** RFC 9083 section 5. */
const classNames: Readonly<Record<ObjectType, string>> = {
  ip: 'ip network',
  autnum: 'autnum',
  entity: 'entity',
  nameserver: 'nameserver',
  reverse_zone: 'domain',
};

function matchesNetwork({ ip, inside }: IpRef, object: JsonObject): boolean {
  const range = rangeOf(object);
  const networks = (inside ?? [ip]).flatMap((text) => parseIpBlock(text) ?? []);
  if (!range || networks.length === 0) return false;
  const contains = networks.every((network) => containsAll(range, network));
  return contains && (inside === undefined || isLarger(range, networks));
}

function matchesAutnum({ number }: AutnumRef, object: JsonObject): boolean {
  const first = autnumOf(object['startAutnum']);
  const last = (object['endAutnum'] ?? null) === null ? first : autnumOf(object['endAutnum']);
  return first !== undefined && last !== undefined && first <= number && number <= last;
}

function matchesHandle({ handle }: EntityRef, object: JsonObject): boolean {
  const sent = object['handle'];
  // Some servers send numeric handles as numbers.
  const text = typeof sent === 'string' || typeof sent === 'number' ? String(sent) : '';
  return text.trim().toLowerCase() === handle.trim().toLowerCase();
}
