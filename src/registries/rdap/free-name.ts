import type { SplitName } from '../../domain/names/domain-name.ts';
import type { JsonObject } from '../../domain/registration.ts';
import { verdictOfStatuses, type Verdict } from '../../domain/verdict.ts';
import { listOf, objectsOf } from './json.ts';
import { withMemberNames } from './member-names.ts';
import { hasRegistration, meaningInNotices, type NotFoundMeaning } from './not-found-text.ts';
import { parseRegistration, readStatuses } from './registration.ts';
import { asLowerCaseText } from './text.ts';

/**
 * Returns the verdict of the statuses of a domain object. AVAILABLE requires that every status is a
 * string that means "available": an unreadable status may mean something else.
 */
export function verdictOfObject(object: JsonObject): Verdict {
  const verdict = verdictOfStatuses(readStatuses(object['status']));
  if (verdict !== 'AVAILABLE') return verdict;

  const isPlain = [object['status']]
    .flat()
    .every(
      (status) =>
        typeof status === 'string' && verdictOfStatuses(readStatuses(status)) === 'AVAILABLE',
    );

  return isPlain ? 'AVAILABLE' : 'REGISTERED';
}

/** Returns whether a domain object, as it was sent, says that the name is not registered. */
export function callsNameFree(sent: JsonObject): boolean {
  return verdictOfObject(withMemberNames(sent)) === 'AVAILABLE';
}

/** Members that also the object of a free name has, or that are read by themselves. */
const mayBeOfFree = { status: null, handle: null, events: null, entities: null, secureDNS: null };

/**
 * Returns what the object of a free name means. A registration, notices and remarks may contradict its
 * statuses.
 */
export function meaningOfFree(object: JsonObject, name: SplitName): NotFoundMeaning {
  const { entities, notices = [], remarks = [] } = object;
  const { hosts, createdAt, expiresAt, dnssec } = parseRegistration(object);
  const isRegistered =
    createdAt !== undefined ||
    expiresAt !== undefined ||
    hosts.length > 0 ||
    dnssec.signed === true ||
    hasRegistration({ ...object, ...mayBeOfFree });
  return isRegistered || objectsOf(entities).some(isParty)
    ? 'contradicted'
    : meaningInNotices({ notices, remarks }, name);
}

function isParty({ roles }: JsonObject): boolean {
  return listOf(roles).some((role) =>
    /^(?:registrar|registrant)$/.test(asLowerCaseText(role) ?? ''),
  );
}
