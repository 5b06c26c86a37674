// The words and looks of verdicts. They claim no more than the registry's answer proves.

const verdicts = {
  AVAILABLE: {
    kind: 'available',
    word: 'Available',
    text: 'The registry has no registration for this name.',
  },
  REGISTERED: { kind: 'taken', word: 'Taken', text: 'This name is registered.' },
  REDEMPTION: {
    kind: 'taken',
    word: 'Taken',
    note: 'in redemption',
    text: 'Deleted, but its registrant can still restore it.',
  },
  PENDING_DELETE: {
    kind: 'taken',
    word: 'Taken',
    note: 'pending deletion',
    text: 'The registry will delete this name soon.',
  },
  RESERVED: { kind: 'reserved', word: 'Reserved', text: 'The registry has reserved this name.' },
  UNSUPPORTED_TLD: {
    kind: 'no-tld',
    word: 'Not a TLD',
    text: 'This is not a top-level domain, or it is switched off on this gateway.',
  },
  INVALID: {
    kind: 'invalid',
    word: 'Invalid',
    text: 'This is not a name that can be registered under this TLD.',
  },
  PENDING: { kind: 'checking', word: 'Checking', text: '' },
  UNANSWERED: {
    kind: 'failed',
    word: 'Not checked',
    text: 'The gateway did not return a result.',
  },
};

const mistyped = 'There is no such top-level domain.';

const likelyAvailable = {
  kind: 'likely',
  word: 'Likely available',
  text: 'The registry’s WHOIS text says that the name is free. Such a text can be misread.',
};

const unproven = {
  kind: 'unproven',
  word: 'Can’t be proved',
  text: 'Availability cannot be proven for this TLD. The name is not in use, but it may be registered.',
};

/** Why a name is reserved that no registry has reserved by itself. */
const reservations = {
  brand_tld: {
    word: 'Brand only',
    text: 'Only the brand that runs this TLD registers names here.',
  },
  closed_tld: { word: 'Closed', text: 'Nobody registers names directly under this TLD.' },
  script_not_offered: {
    word: 'Not offered',
    text: 'The registry does not take these characters.',
  },
};

const failures = {
  registry_timeout: { note: 'timed out', text: 'The registry did not respond in time.' },
  registry_busy: { note: 'busy', text: 'The registry is limiting requests.' },
  registry_error: {
    note: 'error',
    text: 'The registry could not be reached, or returned an error.',
  },
  untrusted_answer: { note: 'unclear', text: 'The answer of the registry was inconclusive.' },
  whois_unclear: { note: 'unclear', text: 'The WHOIS text of the registry was inconclusive.' },
  contradicted: { note: 'unclear', text: 'The registry and the DNS contradict each other.' },
};

/** The registry has no registration, but there is nobody to buy the name from. */
const unsold = {
  kind: 'reserved',
  word: 'Not sold',
  text: 'This name is not registered, but nobody is known to sell names under this TLD.',
};

const cautionNotes = {
  restricted_tld: 'restricted',
  not_sold: '',
  launch_phase: 'not open yet',
  expiry_access_period: 'falling price',
  reserved_label: 'may be reserved',
  idn_unverified: 'letters unconfirmed',
  short_label: 'may cost more',
};

/**
 * Returns how a row is shown: its `kind`, `word`, an optional `note`, and the `text` that explains
 * it.
 */
export function verdictOf({ status, confidence, problem, cautions = [], offers, didYouMean = [] }) {
  const verdict = verdicts[status] ?? unknown(problem?.code);
  if (status === 'RESERVED') return { ...verdict, ...reservations[problem?.code] };
  if (didYouMean.length > 0) return { ...verdict, note: `${didYouMean[0]}?`, text: mistyped };
  if (status !== 'AVAILABLE') return verdict;

  const codes = cautions.map(({ code }) => code);
  const notes = codes.map((code) => cautionNotes[code] ?? 'caution').filter(Boolean);
  if (offers?.[0]) notes.push(priceText(offers[0].register));

  const free = confidence === 'HEURISTIC' ? likelyAvailable : verdict;
  return {
    ...(codes.includes('not_sold') && !offers?.[0] ? unsold : free),
    ...(notes.length > 0 && { note: notes.join(', ') }),
  };
}

function unknown(code) {
  if (code === 'not_delegated') return unproven;
  const failure = failures[code] ?? { text: 'No reliable answer was available.' };
  return { kind: 'failed', word: 'No answer', ...failure };
}

/** Returns the verdict and its note as a phrase, as a person would say it. */
export function phraseOf({ word, note }) {
  return note ? `${word}, ${note}` : word;
}

const groups = {
  available: 'available',
  likely: 'available',
  taken: 'taken',
  reserved: 'reserved',
};

/** Returns what a row counts as in the summary. */
export function groupOf(row) {
  return groups[verdictOf(row).kind] ?? 'unknown';
}

/** Returns whether a name is worth watching: somebody has it, or it cannot be registered now. */
export function mayBeWatched(row) {
  return /^(?:taken|reserved|unproven)$/.test(verdictOf(row).kind);
}

/** Returns whether another lookup may give a verdict. */
export function mayBeRetried(row) {
  return verdictOf(row).kind === 'failed';
}

/** Selects the offers of a name, of which the first is the cheapest. */
export const offerFields =
  'offers { seller register { amount currency } renew { amount currency } url }';

/** Returns a price as people write it, such as `$9.99`. */
export function priceText({ amount, currency }) {
  const format = { style: 'currency', currency, maximumFractionDigits: 4 };
  return new Intl.NumberFormat('en', format).format(amount);
}

/** Points a link to the first offer, or hides it. */
export function setOfferLink(link, [offer] = []) {
  link.hidden = !offer;
  if (!offer) return;
  const { seller, register, renew, url } = offer;
  link.href = url;
  link.textContent = `Register at ${seller}: ${priceText(register)}, then ${priceText(renew)} a year`;
}
