import type { JsonObject } from '../../domain/registration.ts';
import {
  classifyFailure,
  isNotFound,
  isRdapNotFound,
  untrusted,
  type Classification,
  type RdapResponse,
} from './classify-response.ts';
import { refusesLookup } from './not-found-text.ts';
import { asObject } from './json.ts';

/**
 * Returns the answer of an object other than a domain: REGISTERED with the object if it `matches`,
 * AVAILABLE if the server has none. All that is not recognized is UNKNOWN.
 */
export function classifyObjectResponse(
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
