import type { Link, RdapObject, Remark } from '../../domain/rdap-objects.ts';
import type { Json, JsonObject } from '../../domain/registration.ts';
import { readEvents } from './events.ts';
import { linesIn } from './jcard-properties.ts';
import { objectsOf, omitUndefined } from './json.ts';
import { isWithheld, readRedactions, withheldNames } from './redactions.ts';
import { readStatuses } from './registration.ts';
import { contactsIn, relatedEntitiesOf } from './related-entities.ts';
import { asIdentifier, asLowerCaseText, asText, asWebUrl } from './text.ts';

/**
 * Reads the members that all object classes have. `withheld` are the names of other values that
 * the server replaced by placeholders.
 */
export function readMembers(object: JsonObject, withheld: readonly string[] = []): RdapObject {
  const contacts = contactsIn(object);
  const sources = Array.from(contacts, ([entity, contact]) => ({ entity, contact }));
  const handle = isWithheld(object['handle']) ? ['Handle'] : [];
  return omitUndefined<RdapObject>({
    handle: asIdentifier(object['handle']),
    statuses: readStatuses(object['status']),
    events: readEvents(object['events']),
    entities: relatedEntitiesOf(object, contacts),
    remarks: readRemarks(object['remarks']),
    links: readLinks(object['links']),
    redacted: readRedactions(object, [...handle, ...withheld, ...sources.flatMap(withheldNames)]),
    raw: object,
  });
}

/** Returns the members of an object that could not be read. */
export function emptyMembers(raw: JsonObject): RdapObject {
  return { statuses: [], events: [], entities: [], remarks: [], links: [], redacted: [], raw };
}

function readRemarks(json: Json | undefined): readonly Remark[] {
  return objectsOf(json).flatMap((remark) => {
    const title = asText(remark['title']);
    const description = linesIn(remark['description']);
    const type = asLowerCaseText(remark['type']);
    return title || type || description.length > 0
      ? omitUndefined<Remark>({ title, type, description })
      : [];
  });
}

function readLinks(json: Json | undefined): readonly Link[] {
  return objectsOf(json).flatMap((link) => {
    const href = asWebUrl(link['href']);
    return href
      ? omitUndefined<Link>({
          rel: asLowerCaseText(link['rel']),
          href,
          type: asText(link['type']),
        })
      : [];
  });
}
