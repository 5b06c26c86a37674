import { maxAutnum } from '../../domain/object-ref.ts';
import type { Autnum } from '../../domain/rdap-objects.ts';
import type { Json, JsonObject } from '../../domain/registration.ts';
import { omitUndefined, readSafely } from './json.ts';
import { emptyMembers, readMembers } from './object-members.ts';
import { asCountryCode, asMeaningfulText, asText } from './text.ts';

/**
 * Parses an "autnum" object (RFC 9083 section 5.5). Invalid values are omitted, but remain in `raw`.
 * Never throws; calls `onParserError` with errors, which are bugs in this parser.
 */
export function parseAutnum(object: JsonObject, onParserError?: (error: unknown) => void): Autnum {
  return readSafely(readAutnum, object, emptyMembers(object), onParserError);
}

/** Reads an autonomous system, which may be part of an entity. */
export function readAutnum(object: JsonObject): Autnum {
  return omitUndefined<Autnum>({
    ...readMembers(object),
    startNumber: autnumOf(object['startAutnum']),
    endNumber: autnumOf(object['endAutnum']),
    name: asMeaningfulText(object['name']),
    type: asMeaningfulText(object['type']),
    country: asCountryCode(object['country']),
  });
}

/** Returns an AS number, which some servers send as a string, with or without `AS`. */
export function autnumOf(json: Json | undefined): number | undefined {
  const text = typeof json === 'number' ? String(json) : asText(json);
  const digits = /^(?:AS)?(\d{1,10})$/i.exec(text ?? '')?.[1];
  return digits !== undefined && Number(digits) <= maxAutnum ? Number(digits) : undefined;
}
