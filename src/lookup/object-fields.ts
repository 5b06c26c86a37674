import type { ObjectDirectory } from '../domain/directory.ts';
import { parseSuffix } from '../domain/names/domain-name.ts';
import {
  parseAutnumRef,
  parseEntityRef,
  parseIpRef,
  parseNameserverRef,
  parseReverseZoneRef,
  type ObjectType,
  type RefOf,
} from '../domain/object-ref.ts';
import type { Problem } from '../domain/problems.ts';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * The objects that root fields look up, by their arguments as coerced. Each throws the problem of
 * invalid arguments, and returns that of an object that cannot be looked up.
 */
export const objectFields: {
  readonly [T in ObjectType]: (args: Arguments, objects: ObjectDirectory) => RefOf<T> | Problem;
} = {
  ip: ({ address }) => parseIpRef(String(address)),
  autnum: ({ number }) => parseAutnumRef(String(number)),
  nameserver: ({ name }) => parseNameserverRef(String(name)),
  reverse_zone: ({ name }) => parseReverseZoneRef(String(name)),
  entity({ handle, tld }, objects) {
    const server = tld == null ? undefined : objects.serverOfTld(parseSuffix(String(tld)));
    const baseUrl = server && 'baseUrl' in server ? server.baseUrl : undefined;
    const ref = parseEntityRef(String(handle), baseUrl);
    return server && 'problem' in server ? server.problem : ref;
  },
};
