import type { NameserverObject } from '../../domain/rdap-objects.ts';
import type { JsonObject } from '../../domain/registration.ts';
import { omitUndefined } from './json.ts';
import { readNameservers } from './nameservers.ts';
import { emptyMembers, readMembers } from './object-members.ts';
import { readSafely } from './read-safely.ts';
import { asHostName } from './text.ts';

/**
 * Parses a "nameserver" object (RFC 9083 section 5.2). Invalid values are omitted, but remain in
 * `raw`. Never throws; calls `onParserError` with errors, which are bugs in this parser.
 */
export function parseNameserverObject(
  object: JsonObject,
  onParserError?: (error: unknown) => void,
): NameserverObject {
  const empty = { ...emptyMembers(object), ipv4: [], ipv6: [] };
  return readSafely(readNameserver, object, empty, onParserError);
}

function readNameserver(object: JsonObject): NameserverObject {
  const [host] = readNameservers([object]);
  return omitUndefined<NameserverObject>({
    ...readMembers(object),
    ldhName: host?.name,
    unicodeName: asHostName(object['unicodeName']),
    ipv4: host?.ipv4 ?? [],
    ipv6: host?.ipv6 ?? [],
  });
}
