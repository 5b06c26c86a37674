import { parseEntry, type ParsedName } from './parsed-name.ts';
import type { DomainName } from './domain-name.ts';

/** The types whose objects have a global id. */
export type NodeType = 'Domain' | 'Registration' | 'Tld';

/** Which server a registration was read from, as its id says. */
export type RegistrationSource = 'rdap' | 'registrar';

const invalidPrefix = 'invalid:';
const tldPrefix = 'tld:';
const registrationId = /^(rdap|registrar):(.*)$/s;

/** Returns the id of the row of an entry that is not a name. No name has a colon in it, so that ids of different types never collide. */
export function invalidRowId(entry: string): string {
  return invalidPrefix + entry;
}

export function registrationIdOf(source: RegistrationSource, domain: string): string {
  return `${source}:${domain}`;
}

export function tldIdOf(label: string): string {
  return tldPrefix + label;
}

/** Returns the type of the object that has an id, if there is one. An unknown prefix is part of an id of a `Domain` that does not exist. */
export function nodeTypeOf(id: string): NodeType {
  if (id.startsWith(tldPrefix)) return 'Tld';
  return registrationId.test(id) ? 'Registration' : 'Domain';
}

/** Reads the id of a `Domain`. Undefined for an id that none has: ids of names are in canonical form. */
function parseDomainId(id: string): ParsedName | undefined {
  if (id.startsWith(invalidPrefix)) return parseEntry(id.slice(invalidPrefix.length));
  const name = parseCanonicalName(id);
  return name && { domain: name };
}

/** Reads the id of a `Registration`. Undefined for an id that none has. */
export function parseRegistrationId(
  id: string,
): { readonly source: RegistrationSource; readonly domain: DomainName } | undefined {
  const [, source, name = ''] = registrationId.exec(id) ?? [];
  const domain = parseCanonicalName(name);
  return domain && { source: source as RegistrationSource, domain };
}

/** Reads the id of a `Tld`, whose label may be unknown. */
export function parseTldId(id: string): string {
  return id.slice(tldPrefix.length);
}

/** What the object with an id needs looked up; a `Tld`, and an id that no object has, need nothing. */
export type NodeLookup =
  | { readonly type: 'Domain'; readonly id: string; readonly name: ParsedName }
  | {
      readonly type: 'Registration';
      readonly name: ParsedName;
      readonly source: RegistrationSource;
    };

/** Reads the id of an object that needs something looked up. */
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
