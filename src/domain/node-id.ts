import { askedEntry, type Asked } from './asked.ts';
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
export function readDomainId(id: string): Asked | undefined {
  if (id.startsWith(invalidPrefix)) return askedEntry(id.slice(invalidPrefix.length));
  const name = readName(id);
  return name && { domain: name };
}

/** Reads the id of a `Registration`. Undefined for an id that none has. */
export function readRegistrationId(id: string): { readonly source: RegistrationSource; readonly domain: DomainName } | undefined {
  const [, source, name = ''] = registrationId.exec(id) ?? [];
  const domain = readName(name);
  return domain && { source: source as RegistrationSource, domain };
}

/** Reads the id of a `Tld`, whose label may be unknown. */
export function readTldId(id: string): string {
  return id.slice(tldPrefix.length);
}

/** Returns the text of an id that is slow to read: a name, or an entry that may be one. */
export function entryInId(id: string): string {
  return id.replace(/^(?:rdap|registrar|invalid|tld):/, '');
}

/** What objects with ids need looked up. TLDs and INVALID rows need nothing. */
export interface NamesInIds {
  /** Names of `Domain` objects. */
  readonly rows: readonly Asked[];
  /** Names of `Registration` objects. */
  readonly records: readonly Asked[];
  /** Some of these are the registrar's own. */
  readonly registrarRecord: boolean;
}

/** Returns the names that ids need looked up, each once. */
export function namesInIds(ids: readonly string[]): NamesInIds {
  const rows = new Set<DomainName>();
  const records = new Set<DomainName>();
  let registrarRecord = false;
  for (const id of ids) {
    const name = readName(id);
    if (name) rows.add(name);
    const registration = name ? undefined : readRegistrationId(id);
    if (registration) records.add(registration.domain);
    if (registration?.source === 'registrar') registrarRecord = true;
  }
  return { rows: asAsked(rows), records: asAsked(records), registrarRecord };
}

function asAsked(names: ReadonlySet<DomainName>): readonly Asked[] {
  return Array.from(names, (domain) => ({ domain }));
}

function readName(name: string): DomainName | undefined {
  const asked = askedEntry(name);
  return 'problem' in asked || asked.domain !== name ? undefined : asked.domain;
}
