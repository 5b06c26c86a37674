import { isIPv4, isIPv6 } from 'node:net';
import { toHostName } from '../../domain/domain-name.ts';
import type {
  DsRecord,
  Dnssec,
  Event,
  Instant,
  Json,
  JsonObject,
  Registration,
  Nameserver,
} from '../../domain/registration.ts';
import { normalizeStatus } from '../../domain/verdict.ts';
import { readAbuseContact, readEntities } from './entities.ts';
import { readSafely, asObject, listOf, maxListLength, objectsOf, omitUndefined } from './json.ts';
import { withMemberNames } from './member-names.ts';
import { asHostName, asIdentifier, asText, asLowerCaseText } from './text.ts';
import { readEvents } from './timestamp.ts';

/**
 * Parses a registry's domain object (RFC 9083 section 5.3). Invalid values are omitted, but remain
 * in `raw`. Never throws; calls `onParserError` with errors, which are bugs in this parser.
 */
export function parseRegistration(
  object: JsonObject,
  onParserError?: (error: unknown) => void,
): Registration {
  return {
    ...readSafely(readRegistration, object, emptyRegistration(object), onParserError),
    raw: object,
  };
}

/**
 * Parses a registrar's domain object, with the registrar's expiration date and abuse contact. Never
 * throws.
 */
export function parseRegistrarRecord(
  object: JsonObject,
  onParserError?: (error: unknown) => void,
): Registration {
  return {
    ...readSafely(readRegistrarRecord, object, emptyRegistration(object), onParserError),
    raw: object,
  };
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
  const record = readRegistration(object);
  return omitUndefined<Registration>({
    ...record,
    registrar: record.registrar ?? readAbuseContact(object),
    expiresAt: datesOf(record.events, ['registrar expiration'])[0] ?? record.expiresAt,
  });
}

function readRegistration(object: JsonObject): Registration {
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
    raw: object,
  });
}

/** Returns only the expiry date of a domain object, as `parseRegistration` reads it. */
export function readExpiry(object: JsonObject): Instant | undefined {
  return expiryOf(readEvents(withMemberNames(object)['events']));
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
    .filter((action) => expirations.test(action) && !otherExpirations.test(action));
  return datesOf(events, expirationActions)[0] ?? datesOf(events, others)[0];
}

const expirations = /expiration|expire|expiring|expiry/;
const otherExpirations = /registrar|validation|lock|transfer|grace|redemption|auth/;

function dnssecOf(secureDns: JsonObject | undefined): Dnssec {
  const dsRecords = objectsOf(secureDns?.['dsData']).flatMap((ds) => dsRecordOf(ds) ?? []);
  const distinct = new Map(dsRecords.map((ds) => [JSON.stringify(ds).toLowerCase(), ds]));
  const declared = booleanOf(secureDns?.['delegationSigned']);
  // Registries that store DNSKEYs derive the DS records from them (DENIC, CZ.NIC).
  const hasKeys = objectsOf(secureDns?.['keyData']).length > 0 ? true : undefined;
  return omitUndefined<Dnssec>({
    signed: dsRecords.length > 0 ? true : (declared ?? hasKeys),
    dsRecords: [...distinct.values()],
  });
}

function dsRecordOf(ds: JsonObject): DsRecord | undefined {
  const [keyTag, algorithm, digestType] = [
    intOf(ds['keyTag'], 65_535),
    intOf(ds['algorithm'], 255),
    intOf(ds['digestType'], 255),
  ];
  const digest = asText(ds['digest'])?.replaceAll(' ', '');
  const isComplete =
    keyTag !== undefined &&
    algorithm !== undefined &&
    digestType !== undefined &&
    digest &&
    /^[\da-f]+$/i.test(digest);
  return isComplete ? { keyTag, algorithm, digestType, digest } : undefined;
}

function booleanOf(json: Json | undefined): boolean | undefined {
  const word =
    typeof json === 'boolean' || typeof json === 'number' ? String(json) : asLowerCaseText(json);
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}

function intOf(json: Json | undefined, max: number): number | undefined {
  const text = typeof json === 'number' ? String(json) : asText(json);
  return text && /^\d{1,5}$/.test(text) && Number(text) <= max ? Number(text) : undefined;
}

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

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
