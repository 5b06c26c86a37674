/** The status of one name according to its registry. */
export type Verdict =
  'AVAILABLE' | 'REGISTERED' | 'RESERVED' | 'REDEMPTION' | 'PENDING_DELETE' | 'UNKNOWN';

/**
 * Returns the `available` of a verdict: true only if the registry proves that the name is
 * unregistered, and null if there is no trustworthy answer.
 */
export function isAvailable(verdict: Verdict): boolean | null {
  return verdict === 'UNKNOWN' ? null : verdict === 'AVAILABLE';
}

/** EPP statuses that RFC 8056 section 2 maps to a different word. */
const eppExceptions = new Map([
  ['ok', 'active'],
  ['linked', 'associated'],
]);

/** Returns the RFC 8056 value of a status: `clientHold`, `CLIENT HOLD` → `client hold`. */
export function normalizeStatus(status: string): string {
  const words = normalizedPattern.test(status) ? status : toLowerCaseWords(status);
  return eppExceptions.get(words) ?? words;
}

/** Matches the form that most servers send, which needs no change. */
const normalizedPattern = /^[a-z]+(?: [a-z]+)*$/;

function toLowerCaseWords(status: string): string {
  return status
    .trim()
    .replace(/\s+https?:\S*$/i, '') // some servers append the URL of the EPP status
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[\s_-]+/g, ' ')
    .toLowerCase();
}

/** Returns the verdict for the statuses of a domain object, normalized by `normalizeStatus`. */
export function verdictOfStatuses(statuses: readonly string[]): Verdict {
  if (statuses.includes('redemption period') || statuses.includes('pending restore'))
    return 'REDEMPTION';
  if (statuses.includes('pending delete')) return 'PENDING_DELETE';
  if (statuses.includes('reserved')) return 'RESERVED';
  // Some registries return 200 with the status `free` for an unregistered name.
  const isFree =
    statuses.length > 0 && statuses.every((status) => status === 'free' || status === 'available');
  return isFree ? 'AVAILABLE' : 'REGISTERED';
}
