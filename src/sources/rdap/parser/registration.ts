import type {
  DsRecord,
  Dnssec,
  Event,
  Instant,
  Json,
  JsonObject,
  Registration,
} from '../../../domain/registration.ts';
import { normalizeStatus } from '../../../domain/verdict.ts';
import { readAbuseContact, readEntities } from './entities.ts';
import { readNameservers } from './nameservers.ts';
import { asInstant } from './timestamp.ts';
import { asObject, listOf, maxListLength, objectsOf, omitUndefined } from './json.ts';
import { asIdentifier, asText, asLowerCaseText } from './text.ts';

/**
 * Reads a registry's domain object (RFC 9083 5.3). Values that cannot be read are left out, and remain in `raw`. Never throws; `onParserError` is
 * called with an error that is a bug of this parser.
 */
export function parseRegistration(
  object: JsonObject,
  onParserError?: (error: unknown) => void,
): Registration {
  return readSafely(readRegistration, object, onParserError);
}

/** Reads a registrar's own domain object, in which its own dates and its abuse contact count. Never throws. */
export function parseRegistrarRecord(
  object: JsonObject,
  onParserError?: (error: unknown) => void,
): Registration {
  return readSafely(readRegistrarRecord, object, onParserError);
}

function readSafely(
  read: (object: JsonObject) => Registration,
  object: JsonObject,
  onParserError: ((error: unknown) => void) | undefined,
): Registration {
  try {
    return read(object);
  } catch (error) {
    // Nothing that a registry sends may end the process, even if our parser fails.
    onParserError?.(error);
    return {
      hosts: [],
      statuses: [],
      contacts: [],
      events: [],
      dnssec: { dsRecords: [] },
      redacted: [],
      raw: object,
    };
  }
}

/** The gTLD response profile of 2024 demands `registrar expiration` of registrars; `expiration` is the date in the registry (RFC 9083 10.2.3). */
function readRegistrarRecord(object: JsonObject): Registration {
  const record = readRegistration(object);
  return omitUndefined<Registration>({
    ...record,
    registrar: record.registrar ?? readAbuseContact(object),
    expiresAt: datesOf(record.events, ['registrar expiration'])[0] ?? record.expiresAt,
  });
}

function readRegistration(object: JsonObject): Registration {
  const events = eventsOf(object['events']);
  return omitUndefined<Registration>({
    handle: asIdentifier(object['handle']),
    ldhName: nameOf(object['ldhName']),
    unicodeName: nameOf(object['unicodeName']),
    hosts: readNameservers(object['nameservers'] ?? object['nameServers']),
    statuses: readStatuses(object['status']),
    ...readEntities(object),
    createdAt: datesOf(events, registration)[0],
    updatedAt: datesOf(events, lastChangedActions).toSorted().at(-1),
    expiresAt: datesOf(events, expirationActions)[0],
    events,
    dnssec: dnssecOf(asObject(object['secureDNS'])),
    raw: object,
  });
}

/** When a domain object says that the registration ends, as `parseRegistration` reads it, and nothing else of it. */
export function readExpiry(object: JsonObject): Instant | undefined {
  const expirations = objectsOf(object['events']).filter((event) =>
    expirationActions.includes(asLowerCaseText(event['eventAction']) ?? ''),
  );
  return expirations
    .map((event) => asInstant(event['eventDate']))
    .find((date) => date !== undefined);
}

/** RFC 8056 words from a list of statuses, one status, several with commas between them, or an object whose keys they are. */
export function readStatuses(json: Json | undefined): readonly string[] {
  const rawStatuses = listOf(json).flatMap(
    (status) => asText(status)?.split(',') ?? Object.keys(asObject(status) ?? {}),
  );
  const words = rawStatuses.flatMap(
    (status) => asText(normalizeStatus(asText(status) ?? '')) ?? [],
  );
  return [...new Set(words)].slice(0, maxListLength);
}

// RFC 9083 10.2.3 has the first of each row, servers have the others. A registrar's expiration is another date than the registry's.
const registration = ['registration'];
const lastChangedActions = ['last changed', 'last update'];
const expirationActions = ['expiration', 'expires', 'expiration date'];

function nameOf(json: Json | undefined): string | undefined {
  return asLowerCaseText(json)?.replace(/\.+$/, '') || undefined;
}

function eventsOf(json: Json | undefined): readonly Event[] {
  return objectsOf(json).flatMap((event) => {
    const action = asLowerCaseText(event['eventAction']);
    return action
      ? omitUndefined<Event>({
          action,
          date: asInstant(event['eventDate']),
          actor: asText(event['eventActor']),
        })
      : [];
  });
}

function datesOf(events: readonly Event[], actions: readonly string[]): Instant[] {
  return events.flatMap(({ action, date }) => (date && actions.includes(action) ? date : []));
}

function dnssecOf(secureDns: JsonObject | undefined): Dnssec {
  const dsRecords = objectsOf(secureDns?.['dsData']).flatMap((ds) => dsRecordOf(ds) ?? []);
  const declared = booleanOf(secureDns?.['delegationSigned']);
  // A registry that keeps DNSKEYs makes the DS records from them itself (DENIC, CZ.NIC).
  const hasKeys = objectsOf(secureDns?.['keyData']).length > 0 ? true : undefined;
  return omitUndefined<Dnssec>({
    signed: dsRecords.length > 0 ? true : (declared ?? hasKeys),
    dsRecords,
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
