import { isIPv4, isIPv6 } from 'node:net';
import { toHostName } from '../../domain/names/domain-name.ts';
import type {
  Event,
  Instant,
  Json,
  JsonObject,
  Registration,
  Nameserver,
} from '../../domain/registration.ts';
import { normalizeStatus } from '../../domain/epp-status.ts';
import { dnssecOf, ttlsIn } from './dnssec.ts';
import { readAbuseContact, readEntities } from './entities.ts';
import {
  readSafely,
  asObject,
  listOf,
  maxListLength,
  objectsOf,
  omitUndefined,
  parseJson,
} from './json.ts';
import { asHostName, asIdentifier, asText, asLowerCaseText } from './text.ts';
import { readEvents } from './timestamp.ts';
import { readVariants } from './variants.ts';

/**
 * Parses a registry's domain object (RFC 9083 section 5.3). Invalid values are omitted, but remain
 * in `raw`. Never throws; calls `onParserError` with errors, which are bugs in this parser.
 */
export function parseRegistration(
  object: JsonObject,
  onParserError?: (error: unknown) => void,
): Registration {
  return { ...readSafely(readDomain, object, onParserError), raw: object };
}

/**
 * Parses the JSON of a registry's domain object. Throws `SyntaxError` if it is not the JSON of an
 * object.
 */
export function readRegistration(
  objectText: string,
  onParserError?: (error: unknown) => void,
): Registration {
  const object = asObject(parseJson(objectText));
  if (!object) throw new SyntaxError('A domain object is not valid JSON.');
  return parseRegistration(object, onParserError);
}

/**
 * Parses a registrar's domain object, with the registrar's expiration date and abuse contact. Never
 * throws.
 */
export function parseRegistrarRecord(
  object: JsonObject,
  onParserError?: (error: unknown) => void,
): Registration {
  return { ...readSafely(readRegistrarRecord, object, onParserError), raw: object };
}

/** Returns the record of an object that is not parsed. */
export function emptyRegistration(raw: JsonObject | undefined): Registration {
  return {
    hosts: [],
    statuses: [],
    contacts: [],
    events: [],
    dnssec: { dsRecords: [] },
    redacted: [],
    ...(raw && { raw }),
  };
}

/**
 * The gTLD response profile of 2024 requires registrars to send `registrar expiration`;
 * `expiration` is the registry's date (RFC 9083 section 10.2.3).
 */
function readRegistrarRecord(object: JsonObject): Registration {
  const record = readDomain(object);
  return omitUndefined<Registration>({
    ...record,
    registrar: record.registrar ?? readAbuseContact(object),
    expiresAt: datesOf(record.events, ['registrar expiration'])[0] ?? record.expiresAt,
  });
}

function readDomain(object: JsonObject): Registration {
  const events = readEvents(object['events']);
  return omitUndefined<Registration>({
    handle: asIdentifier(object['handle']),
    ldhName: asHostName(object['ldhName']),
    unicodeName: asHostName(object['unicodeName']),
    hosts: readNameservers(object['nameservers']),
    statuses: readStatuses(object['status']),
    ...readEntities(object),
    createdAt: datesOf(events, registration)[0],
    updatedAt: datesOf(events, lastChangedActions).toSorted().at(-1),
    expiresAt: expiryOf(events),
    events,
    dnssec: dnssecOf(asObject(object['secureDNS'])),
    variants: unlessEmpty(readVariants(object['variants'])),
    ttls: unlessEmpty(ttlsIn(object['ttl0_data'])),
    raw: object,
  });
}

/**
 * Returns only the expiry date of a domain object, as `parseRegistration` reads it. The members of the
 * object have the names of RFC 9083.
 */
export function readExpiry(object: JsonObject): Instant | undefined {
  const events = objectsOf(object['events']);
  return expiryOf(
    readEvents(events.filter(({ eventAction }) => isExpiration(asLowerCaseText(eventAction)))),
  );
}

/**
 * Returns RFC 8056 statuses from a list, a single status, a text of several, or the keys of an
 * object.
 */
export function readStatuses(json: Json | undefined): readonly string[] {
  const rawStatuses = listOf(json).flatMap((status) =>
    typeof status === 'string'
      ? status.split(statusSeparator, maxListLength)
      : Object.keys(asObject(status) ?? {}),
  );
  const words = rawStatuses.flatMap(
    (status) => asText(normalizeStatus(asText(status) ?? '')) ?? [],
  );

  return [...new Set(words)].slice(0, maxListLength);
}

/** Matches between statuses in one text, also after the URL of one, and after one in EPP notation. */
const statusSeparator = /[,;|\r\n]|\s(?<=https?:\S+\s)|\s(?<=[a-z][A-Z][a-z]+\s)(?=[a-z]+[A-Z])/;

// The first of each row is from RFC 9083 section 10.2.3; servers also send the others. `registrar
// expiration` is not the registry's date.
const registration = ['registration', 'registration date', 'created', 'creation date'];
const lastChangedActions = ['last changed', 'last update', 'last updated', 'last modified'];
const expirationActions = ['expiration', 'expires', 'expiration date'];

function datesOf(events: readonly Event[], actions: readonly string[]): Instant[] {
  return events.flatMap(({ action, date }) => (date && actions.includes(action) ? date : []));
}

/**
 * Returns the date of the first event that means expiration. Servers also send `Record expires` or
 * `Expiry Date`, but not everything that expires is the registration.
 */
function expiryOf(events: readonly Event[]): Instant | undefined {
  const others = events
    .map(({ action }) => action)
    .filter((action) => isExpiration(action) && !otherExpirations.test(action));
  return datesOf(events, expirationActions)[0] ?? datesOf(events, others)[0];
}

/** Returns whether an action contains the word; it does in all of `expirationActions`. */
function isExpiration(action = ''): boolean {
  return /expiration|expire|expiring|expiry/.test(action);
}

const otherExpirations = /registrar|validation|lock|transfer|grace|redemption|auth/;

/**
 * Returns the distinct nameservers of a domain object. Duplicates are merged with all their
 * addresses.
 */
export function readNameservers(nameservers: Json | undefined): readonly Nameserver[] {
  const hosts = new Map<string, Nameserver>();
  for (const entry of listOf(nameservers)) {
    const name = hostName(entry);
    if (name === undefined) continue;

    const addresses = [...addressesOf(hosts.get(name)), ...readIpAddresses(asObject(entry))];
    hosts.set(name, {
      name,
      ipv4: unique(addresses.filter(isIPv4)),
      ipv6: unique(addresses.filter(isIPv6)),
    });
  }

  return [...hosts.values()];
}

/** Returns the host name of a nameserver. Some servers send a plain string, some omit `ldhName`. */
function hostName(entry: Json): string | undefined {
  const host = asObject(entry);
  const rawName =
    asLowerCaseText(entry) ??
    asLowerCaseText(host?.['ldhName']) ??
    asLowerCaseText(host?.['unicodeName']);

  // The registry of .fi appends the result of its check of the nameserver.
  const checked = rawName?.replace(/ \[\w+\]$/, '');
  const name = checked && toALabels(checked).replace(/(?<!\.)\.+$/, '');

  // Any host name is accepted, including `_`, but not a sentence such as "not delegated".
  return name && /^[\w-]+(?:\.[\w-]+)*$/.test(name) ? name : undefined;
}

function toALabels(name: string): string {
  return /^\p{ASCII}*$/u.test(name) ? name : (toHostName(name) ?? name);
}

function readIpAddresses(host: JsonObject | undefined): readonly string[] {
  const addresses = asObject(host?.['ipAddresses']);
  return [...listOf(addresses?.['v4']), ...listOf(addresses?.['v6'])].flatMap(
    (address) => asText(address) ?? [],
  );
}

function addressesOf(host: Nameserver | undefined): readonly string[] {
  return host ? [...host.ipv4, ...host.ipv6] : [];
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
