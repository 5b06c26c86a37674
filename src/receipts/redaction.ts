import type { DomainName } from '../domain/names/domain-name.ts';
import type { Json, JsonObject } from '../domain/registration.ts';
import { isRdapNotFound } from '../registries/rdap/classify-response.ts';
import { callsNameFree } from '../registries/rdap/free-name.ts';
import { asObject, readJson } from '../registries/rdap/json.ts';
import { maxLineLength } from '../registries/whois/classify-whois-reply.ts';
import { decodeReply, type TextProtocol } from '../registries/whois/tcp-source.ts';

/** Returns received bytes with a mark in place of what no rule reads and may be about a person. */
export type Redact = (bytes: Buffer) => Buffer;

const mark = '[redacted]';

/** The members of objects that are kept, at any depth. */
const keptMembers = new Set(
  (
    'objectClassName ldhName unicodeName status events eventAction eventDate nameservers entities roles publicIds type ' +
    'identifier secureDNS zoneSigned delegationSigned maxSigLife dsData keyData keyTag algorithm digest digestType flags ' +
    'protocol publicKey variants relation variantNames rdapConformance errorCode lang'
  )
    .split(' ')
    .map(plain),
);
/** Members that are kept only of the object itself: an entity may have the name of a person there. */
const keptOfRoot = new Set(['handle', 'title', 'description', 'port43']);

/** Members that may contradict the status of a free name, so that the rules read them. */
const textsOfFree = new Set(['notices', 'remarks']);

/**
 * Returns how the body of a response with a status is redacted: of an object, members that the rules
 * or the facts of a registration need are kept, and nothing of what is no object. A "not found" or a
 * rejection has no contacts, and the rules read all of it.
 */
export function redactedBody(status: number): Redact {
  return (bytes) => {
    const json = readJson(bytes);
    const isWhole = (status !== 200 && status !== 404) || isRdapNotFound({ json });
    if (bytes.length === 0 || isWhole) return bytes;
    const object = asObject(json);

    return Buffer.from(object ? JSON.stringify(redactedObject(object)) : mark);
  };
}

function redactedObject(object: JsonObject): JsonObject {
  const texts = Object.entries(object).filter(([key]) => textsOfFree.has(plain(key)));
  const isFree = callsNameFree(object);
  return { ...(redacted(object, true) as JsonObject), ...(isFree && Object.fromEntries(texts)) };
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
