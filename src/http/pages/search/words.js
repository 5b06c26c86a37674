// What the page says of a verdict: never more than the registry did.

const statusTexts = {
  AVAILABLE: [
    'no registration found',
    'The registry holds no registration of this name. That is no promise that you can buy it: a registry may withhold a name, price it apart, or keep it for certain buyers.',
  ],
  REGISTERED: ['registered', 'Somebody holds this name.'],
  RESERVED: ['reserved', 'The registry keeps this name from being registered.'],
  REDEMPTION: ['in redemption', 'This name was deleted, and its holder may still have it back.'],
  PENDING_DELETE: ['about to be deleted', 'The registry is about to remove this name.'],
  UNSUPPORTED_TLD: [
    'no registry to ask',
    'No public RDAP server is known for this TLD, so nobody was asked.',
  ],
  INVALID: [
    'not a name here',
    'This is no name that can be registered: it must be one label under a suffix that a registry serves.',
  ],
};

const reasonTexts = {
  registry_timeout: 'registry too slow',
  registry_busy: 'registry busy',
  registry_error: 'registry failed',
  untrusted_answer: 'no clear answer',
};

/** A verdict in two or three words, for a tile. Clients must expect words that they do not know: those are shown as they are. */
export function shortText({ status, reason }) {
  if (status === 'UNKNOWN') return reasonTexts[reason] ?? 'no answer';
  return statusTexts[status]?.[0] ?? status.toLowerCase().replaceAll('_', ' ');
}

/** A verdict in a sentence or two. */
export function longText({ status }) {
  return statusTexts[status]?.[1] ?? 'Nobody trustworthy said whether this name is registered.';
}

export function formatDateTime(dateTime) {
  return `${new Date(dateTime).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
}

export function formatDay(dateTime) {
  return new Date(dateTime).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}
