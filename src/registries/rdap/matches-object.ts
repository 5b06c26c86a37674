import { parseIpNetwork } from '../../domain/ip-network.ts';
import type {
  EntityRef,
  IpRef,
  AutnumRef,
  ObjectRef,
  ObjectType,
} from '../../domain/object-ref.ts';
import type { JsonObject } from '../../domain/registration.ts';
import { matchesName } from './classify-response.ts';
import { containsAll, rangeOf } from './address-range.ts';
import { autnumOf } from './autnum.ts';

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
