/** What a registry's answer says about one name. */
export type Verdict =
  'AVAILABLE' | 'REGISTERED' | 'RESERVED' | 'REDEMPTION' | 'PENDING_DELETE' | 'UNKNOWN';

/** True only on proof, false when something stands in the way, null when nobody trustworthy said. */
export function isAvailable(verdict: Verdict): boolean | null {
  return verdict === 'UNKNOWN' ? null : verdict === 'AVAILABLE';
}

/** Two EPP words that RFC 8056 section 2 does not simply take apart. */
const eppExceptions = new Map([
  ['ok', 'active'],
  ['linked', 'associated'],
]);

/** The RFC 8056 word for a status in whatever form a server sends it: `clientHold`, `CLIENT HOLD` → `client hold`. */
export function normalizeStatus(status: string): string {
  const words = normalizedPattern.test(status) ? status : toLowerCaseWords(status);
  return eppExceptions.get(words) ?? words;
}

/** Lower-case words with single spaces, as most servers send them: there is nothing to change in these. */
const normalizedPattern = /^[a-z]+(?: [a-z]+)*$/;

function toLowerCaseWords(status: string): string {
  return status
    .trim()
    .replace(/\s+https?:\S*$/i, '') // some servers append the EPP page that explains the word
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[\s_-]+/g, ' ')
    .toLowerCase();
}

/** The verdict of a registered object's statuses, as `statusWord` gives them. */
export function verdictOfStatuses(statuses: readonly string[]): Verdict {
  if (statuses.includes('redemption period') || statuses.includes('pending restore'))
    return 'REDEMPTION';
  if (statuses.includes('pending delete')) return 'PENDING_DELETE';
  if (statuses.includes('reserved')) return 'RESERVED';
  // Some registries answer 200 with `free` for a name that nobody holds.
  const isFree =
    statuses.length > 0 && statuses.every((status) => status === 'free' || status === 'available');
  return isFree ? 'AVAILABLE' : 'REGISTERED';
}
