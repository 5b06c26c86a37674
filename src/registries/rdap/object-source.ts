import {
  lookupPath,
  type ObjectRef,
  type EntityRef,
  type IpRef,
  type AutnumRef,
  type ObjectType,
} from '../../domain/object-ref.ts';
import type { JsonObject, Registration } from '../../domain/registration.ts';
import {
  createAnswer,
  type Answer,
  type AttemptRequest,
  type LookupQuery,
  type Source,
} from '../../domain/source.ts';
import {
  toRdapResponse,
  classifyFailure,
  isNotFound,
  isRdapNotFound,
  untrusted,
  matchesName,
  type Classification,
  type RdapResponse,
} from './classify-response.ts';
import type { RegistryResponse } from '../../outbound/client.ts';
import { isSameOperator } from './rdap-source.ts';
import { exchangeRdap, type CompletedExchange, type RdapOptions } from './rdap-exchange.ts';
import { refusesLookup } from './not-found-text.ts';
import { asObject } from './json.ts';
import { parseIpNetwork } from '../../domain/ip-network.ts';
import { containsAll, rangeOf } from './address-range.ts';
import { autnumOf } from './autnum.ts';

/**
 * Queries an RDAP server for objects other than domains (RFC 9082 section 3.1). An object that it has
 * is REGISTERED, with its JSON in `registration().raw`; one that it does not have is AVAILABLE.
 */
export class ObjectSource implements Source {
  /** The base URL. */
  readonly id: string;
  readonly #options: RdapOptions;
  readonly #is404Trusted: boolean;

  constructor(baseUrl: string, is404Trusted: boolean, options: RdapOptions) {
    this.id = baseUrl;
    this.#is404Trusted = is404Trusted;
    this.#options = options;
  }

  async lookup({ name, ref }: LookupQuery, request: AttemptRequest): Promise<Answer> {
    if (!ref) throw new Error('a domain was looked up as another object');
    const lookup = {
      baseUrl: this.id,
      path: lookupPath(ref),
      name,
      read: (response: RegistryResponse, exchange: CompletedExchange) =>
        this.#read(ref, response, exchange),
    };
    return exchangeRdap(lookup, request, this.#options);
  }

  #read(ref: ObjectRef, response: RegistryResponse, exchange: CompletedExchange): Answer {
    const { sentAt, answeredAt, attempts } = exchange;
    const { verdict, object, problem, failure } = classifyObjectResponse(
      toRdapResponse(response, this.id, isSameOperator(response.url, this.id), this.#is404Trusted),
      (json) => matchesObject(ref, json),
    );
    return createAnswer(
      {
        verdict,
        ...(object && {
          registration: () => unparsed(object),
          characters: response.body.length,
        }),
        ...(problem && { problem }),
      },
      {
        endpoint: this.id,
        sentAt,
        attempts,
        evidence: {
          httpStatus: response.status,
          mediaType: response.mediaType,
          unproven: false,
        },
        ...(verdict !== 'UNKNOWN' && { checkedAt: answeredAt }),
        ...(failure && { failure }),
      },
    );
  }
}

/** Returns a record that is stored like that of a domain, with only the registry's own object. */
function unparsed(raw: JsonObject): Registration {
  return {
    hosts: [],
    statuses: [],
    contacts: [],
    events: [],
    dnssec: { dsRecords: [] },
    redacted: [],
    raw,
  };
}

/**
 * Returns the answer of an object other than a domain: REGISTERED with the object if it `matches`,
 * AVAILABLE if the server has none. All that is not recognized is UNKNOWN.
 */
function classifyObjectResponse(
  response: RdapResponse,
  matches: (object: JsonObject) => boolean,
): Classification {
  const { status, json } = response;
  if (status !== 200 && status !== 404) return classifyFailure(response);
  if (status === 404 ? isNotFound(response) : isRdapNotFound(response))
    return classifyObjectNotFound(response);
  if (status === 404) return untrusted('a 404 that is not an RDAP response');
  const object = asObject(json);
  if (!object) return untrusted('a response that is not a JSON object');
  return 'errorCode' in object || !matches(object)
    ? untrusted('a response that is not the requested object')
    : { verdict: 'REGISTERED', object };
}

/**
 * Unlike that of a domain, the text need not be recognized as "not found": regional registries word
 * it in many ways.
 */
function classifyObjectNotFound(response: RdapResponse): Classification {
  const { json, isOwnHost, is404Trusted } = response;
  if (!isOwnHost) return untrusted('a redirect to another host, which does not find the object');
  if (!is404Trusted) return untrusted('a 404, which is not trusted from this server');
  return refusesLookup(asObject(json))
    ? untrusted('a 404 that does not say "not found"')
    : { verdict: 'AVAILABLE' };
}

/**
 * Returns whether an object has the class that was looked up and is about `ref`: a network contains
 * the address or the whole network (RFC 9082 section 3.1.1), a block contains the number, a handle or
 * a host name is the same, ignoring case.
 */
export function matchesObject(ref: ObjectRef, object: JsonObject): boolean {
  if (object['objectClassName'] !== classNames[ref.type]) return false;
  switch (ref.type) {
    case 'ip':
      return matchesNetwork(ref, object);
    case 'autnum':
      return matchesAutnum(ref, object);
    case 'entity':
      return matchesHandle(ref, object);
    case 'nameserver':
      return matchesName(object, ref.name);
  }
}

/** RFC 9083 section 5. */
const classNames: Readonly<Record<ObjectType, string>> = {
  ip: 'ip network',
  autnum: 'autnum',
  entity: 'entity',
  nameserver: 'nameserver',
};

function matchesNetwork({ ip }: IpRef, object: JsonObject): boolean {
  const range = rangeOf(object);
  const network = parseIpNetwork(ip);
  return range !== undefined && network !== undefined && containsAll(range, network);
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
