// The texts of verdicts. They claim no more than the registry's response proves.

const statusTexts = {
  AVAILABLE: [
    'Available',
    'The registry has no registration for this name. This does not guarantee that you can buy it: the registry may reserve it, charge a premium or restrict who can buy it.',
  ],
  REGISTERED: ['Registered', 'This domain is registered.'],
  RESERVED: ['Reserved', 'The registry has reserved this name, so it cannot be registered.'],
  REDEMPTION: [
    'In redemption',
    'This domain was deleted, but its registrant can still restore it.',
  ],
  PENDING_DELETE: ['Pending deletion', 'The registry will delete this domain soon.'],
  UNSUPPORTED_TLD: [
    'TLD not supported',
    'This is not a TLD, or the operator has disabled its sources. Nothing was queried.',
  ],
  INVALID: [
    'Not registrable',
    'This name cannot be registered. A domain name consists of one label and a suffix that a registry serves.',
  ],
};

const reasonTexts = {
  registry_timeout: 'Timed out',
  registry_busy: 'Registry busy',
  registry_error: 'Registry error',
  untrusted_answer: 'Inconclusive',
  contradicted: 'Contradictory',
  not_delegated: 'Not delegated',
};

/** Returns a verdict in at most three words. Unknown statuses are shown by name. */
export function shortText({ status, reason }) {
  if (status === 'UNKNOWN') return reasonTexts[reason] ?? 'Unknown';
  return statusTexts[status]?.[0] ?? status[0] + status.slice(1).toLowerCase().replaceAll('_', ' ');
}

/** Returns a verdict in one or two sentences. */
export function longText({ status }) {
  return statusTexts[status]?.[1] ?? 'No reliable answer from the registry was available.';
}

export function formatDateTime(dateTime) {
  return `${new Date(dateTime).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
}

export function formatDay(dateTime) {
  return new Date(dateTime).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}
