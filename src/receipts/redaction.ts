import type { DomainName } from '../domain/domain-name.ts';
import type { Json, JsonObject } from '../domain/registration.ts';
import { isRdapNotFound } from '../registries/rdap/classify-response.ts';
import { asObject, readJson } from '../registries/rdap/json.ts';
import { maxLineLength } from '../registries/whois/classify-whois-reply.ts';
import { decodeReply, type TextProtocol } from '../registries/whois/tcp-source.ts';

/** Returns received bytes with a mark in place of what no rule reads and may be about a person. */
export type Redact = (bytes: Buffer) => Buffer;

export const redactsNothing: Redact = (bytes) => bytes;

const mark = '[redacted]';

/** The members of objects that are kept, at any depth, in lower case. */
const keptMembers = new Set(
  (
    'objectclassname ldhname unicodename status events eventaction eventdate nameservers entities roles publicids type ' +
    'identifier securedns zonesigned delegationsigned maxsiglife dsdata keydata keytag algorithm digest digesttype flags ' +
    'protocol publickey rdapconformance errorcode lang'
  ).split(' '),
);
/** Members that are kept only of the object itself: an entity may have the name of a person there. */
const keptOfRoot = new Set(['handle', 'title', 'description', 'port43']);

/**
 * Returns how the body of a response with a status is redacted: of an object, members that the rules
 * or the facts of a registration need are kept. A "not found" has no contacts, and the rules read all
 * of it.
 */
export function redactedBody(status: number): Redact {
  return (bytes) => {
    const json = readJson(bytes);
    const object = asObject(json);
    const hasClass = object && Object.keys(object).some((key) => plain(key) === 'objectclassname');
    if (bytes.length === 0 || (status !== 200 && !hasClass)) return bytes;
    if (!object) return Buffer.from(mark);

    return isRdapNotFound({ json }) ? bytes : Buffer.from(JSON.stringify(redacted(object, true)));
  };
}

function redacted(json: Json, isRoot: boolean): Json {
  if (Array.isArray(json)) return json.map((each: Json) => redacted(each, isRoot));
  if (typeof json !== 'object' || json === null) return json;
  const isKept = (key: string) =>
    keptMembers.has(plain(key)) || (isRoot && keptOfRoot.has(plain(key)));
  const members = Object.entries(json as JsonObject).map(([key, value]) => [
    key,
    isKept(key) ? redacted(value, false) : mark,
  ]);
  return Object.fromEntries(members) as JsonObject;
}

function plain(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Returns how the reply about a name is redacted: the lines that the rules read are kept. */
export function redactedReply(protocol: TextProtocol, name: DomainName): Redact {
  return (bytes) => {
    const text = decodeReply(bytes);
    const isRead = protocol.linesRead?.(name, text) ?? (() => true);
    const parts = text.split(/([\r\n]+)/);
    const kept = parts.map((part, index) =>
      index % 2 === 1 || part.trim() === '' || isRead(part) ? part : lineMark(part, index / 2),
    );
    const isUtf8 = Buffer.from(text).equals(bytes);
    return Buffer.from(kept.join(''), isUtf8 ? 'utf8' : 'latin1');
  };
}

/** A reply with too many or too long lines cannot be read: it has as many afterwards. */
function lineMark(line: string, index: number): string {
  const text = `[redacted ${index + 1}]`;
  return line.length > maxLineLength ? text.padEnd(maxLineLength + 1, '.') : text;
}
