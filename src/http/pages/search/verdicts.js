// The texts of verdicts. They claim no more than the registry's answer proves.

const verdicts = {
  AVAILABLE: { word: 'Available', text: 'The registry has no registration for this name.' },
  REGISTERED: { word: 'Taken', text: 'This name is registered.' },
  REDEMPTION: {
    word: 'Taken',
    note: 'in redemption',
    text: 'Deleted, but its registrant can still restore it.',
  },
  PENDING_DELETE: {
    word: 'Taken',
    note: 'pending deletion',
    text: 'The registry will delete this name soon.',
  },
  RESERVED: {
    word: 'Reserved',
    text: 'The registry has reserved this name.',
  },
  UNSUPPORTED_TLD: {
    word: 'Unknown',
    text: 'This is not a TLD, or the operator has disabled its sources.',
  },
  INVALID: { word: 'Invalid', text: 'This is not a name that can be registered under this TLD.' },
  PENDING: { word: 'Checking', text: '' },
  UNANSWERED: { word: 'No response', text: 'The gateway did not return a result.' },
};

const reasons = {
  registry_timeout: 'The registry did not respond in time.',
  registry_busy: 'The registry is limiting requests. Try again later.',
  registry_error: 'The registry could not be reached, or returned an error.',
  untrusted_answer: 'The answer of the registry was inconclusive.',
  contradicted: 'The registry and the DNS contradict each other.',
  not_delegated: 'Availability cannot be proven for this TLD.',
};

/** Returns the word, an optional note and the explanation of a row. */
export function verdictOf({ status, reason }) {
  return (
    verdicts[status] ?? {
      word: 'Unknown',
      text: reasons[reason] ?? 'No reliable answer was available.',
    }
  );
}

const groups = { REGISTERED: 'taken', REDEMPTION: 'taken', PENDING_DELETE: 'taken' };

/** Returns what a row counts as in the summary. */
export function groupOf(status) {
  if (status === 'AVAILABLE' || status === 'RESERVED') return status.toLowerCase();
  return groups[status] ?? 'unknown';
}

const isFailure = /^(?:registry_|overloaded|unavailable)/;

/** Returns whether another lookup may give a verdict. */
export function mayBeRetried({ status, reason }) {
  return status === 'UNKNOWN' && isFailure.test(reason);
}
