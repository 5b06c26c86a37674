import { isObject } from '../shared/shapes.ts';
import type { DomainName } from './names/domain-name.ts';
import { parseEntry, type ParsedName } from './names/parsed-name.ts';
import { invalidParameter } from './problems.ts';

/** The types whose objects have a global id. */
export type NodeType = 'Domain' | 'Registration' | 'Tld';

/** The server that a registration was read from; part of its id. */
export type RegistrationSource = 'rdap' | 'whois' | 'registrar';

const invalidPrefix = 'invalid:';
const tldPrefix = 'tld:';
const registrationId = /^(rdap|whois|registrar):(.*)$/s;

/**
 * Returns the row id of an entry that is not a name. Names contain no colon, so ids of different
 * types never collide.
 */
export function invalidRowId(entry: string): string {
  return invalidPrefix + entry;
}

export function registrationIdOf(source: RegistrationSource, domain: string): string {
  return `${source}:${domain}`;
}

export function tldIdOf(label: string): string {
  return tldPrefix + label;
}

/**
 * Returns the type of the object with an id. An id with an unknown prefix is that of a `Domain`
 * that does not exist.
 */
export function nodeTypeOf(id: string): NodeType {
  if (id.startsWith(tldPrefix)) return 'Tld';
  return registrationId.test(id) ? 'Registration' : 'Domain';
}

/** Parses the id of a `Domain`. Returns undefined unless its name is in canonical form. */
function parseDomainId(id: string): ParsedName | undefined {
  if (id.startsWith(invalidPrefix)) return parseEntry(id.slice(invalidPrefix.length));
  const name = parseCanonicalName(id);
  return name && { domain: name };
}

/** Parses the id of a `Registration`. Returns undefined unless its name is in canonical form. */
export function parseRegistrationId(
  id: string,
): { readonly source: RegistrationSource; readonly domain: DomainName } | undefined {
  const [, source, name = ''] = registrationId.exec(id) ?? [];
  const domain = parseCanonicalName(name);
  return domain && { source: source as RegistrationSource, domain };
}

/** Returns the label in the id of a `Tld`, which may not exist. */
export function parseTldId(id: string): string {
  return id.slice(tldPrefix.length);
}

/** The lookup that the object with an id requires. */
export type NodeLookup =
  | { readonly type: 'Domain'; readonly id: string; readonly name: ParsedName }
  | {
      readonly type: 'Registration';
      readonly name: ParsedName;
      readonly source: RegistrationSource;
    };

/**
 * Parses an id. Returns undefined if its object needs no lookup: a `Tld`, or one that does not
 * exist.
 */
export function parseNodeId(id: string): NodeLookup | undefined {
  const type = nodeTypeOf(id);
  if (type === 'Tld') return undefined;

  if (type === 'Domain') {
    const name = parseDomainId(id);
    return name && { type, id, name };
  }

  const registration = parseRegistrationId(id);
  return (
    registration && { type, name: { domain: registration.domain }, source: registration.source }
  );
}

function parseCanonicalName(name: string): DomainName | undefined {
  const parsed = parseEntry(name);
  return 'problem' in parsed || parsed.domain !== name ? undefined : parsed.domain;
}

/** The types to which other subgraphs refer (Apollo Federation), with the field that identifies each. */
export const entityKeys = {
  Domain: 'domain',
  Tld: 'label',
  IpNetwork: 'startAddress',
  Autnum: 'startNumber',
} as const;

/** The type and the key of an object. */
interface Representation {
  readonly type: keyof typeof entityKeys;
  readonly key: string;
}

/**
 * Parses a reference to an object, such as `{ __typename: 'Domain', domain: 'example.com' }`. Throws
 * `invalid_parameter`.
 */
export function parseRepresentation(value: unknown): Representation {
  const { __typename: typename, ...fields } = isObject(value) ? value : {};
  const types = Object.keys(entityKeys) as Representation['type'][];
  const type = types.find((each) => each === typename);
  const key = type && fields[entityKeys[type]];
  if (type && (typeof key === 'string' || typeof key === 'number'))
    return { type, key: String(key) };

  const detail = type
    ? `the key ${entityKeys[type]} of ${type} is missing`
    : `__typename must be one of ${types.join(', ')}`;
  const param = 'representations';

  throw invalidParameter(param, `A representation is invalid: ${detail}.`);
}

/** Parses the key of a `Domain`, which is identified by its A-labels, however it was typed. */
export function parseDomainKey(key: string): ParsedName {
  const name = parseEntry(key);
  return 'problem' in name ? name : { domain: name.domain };
}
