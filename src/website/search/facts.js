// The facts about a name, as lists of terms and descriptions.

/** Returns both forms of an internationalized name. */
export function nameFacts({ domain, unicodeName }) {
  return domain === unicodeName ? {} : { Unicode: unicodeName, 'A-label': domain };
}

/**
 * Returns what the registry publishes. Facts that it does not publish are empty. `hostElement`
 * returns the name or the element of a nameserver.
 */
export function registrationFacts(registration, hostElement) {
  if (!registration) return {};

  const { source, registrar, registrant } = registration;
  return {
    Registrar: registrar?.name && [registrar.name, link(registrar.url)],
    'Abuse contact': [
      contactLink('mailto', registrar?.abuseEmail),
      contactLink('tel', registrar?.abusePhone),
    ],
    Registrant: registrant?.organization ?? registrant?.name,
    Registered: day(registration.createdAt),
    Updated: day(registration.updatedAt),
    Expires: day(registration.expiresAt),
    Status: registration.statuses,
    Nameservers: registration.hosts.map(hostElement),
    DNSSEC: { true: 'Signed', false: 'Not signed' }[registration.dnssec.signed],
    'Read from': source === 'WHOIS' && 'WHOIS, a text without a defined format',
  };
}

/** Returns what the owner of a registered name offers. */
export function saleFacts(forSale) {
  const offers = (forSale?.offers ?? []).flatMap(({ text, amount, currency, uri }) => [
    text,
    amount && `${amount} ${currency ?? ''}`,
    link(uri),
  ]);
  return { 'For sale': offers.some(Boolean) ? offers : forSale?.forSale && 'Offered by its owner' };
}

/** Returns what the home page of a name says about it, or why it could not be read. */
export function siteFacts({ problem, title, httpStatus, redirects, finalUrl }) {
  return {
    'Home page': problem?.detail ?? title ?? 'A page without a title',
    'Leads to': redirects?.length > 0 && link(finalUrl),
    'HTTP status': httpStatus,
  };
}

const sourceNames = { rdap: 'RDAP', das: 'Availability service', whois: 'WHOIS', dns: 'DNS' };
const answerNames = {
  absent: 'no delegation',
  has_records: 'records, but no delegation',
  unverified: 'a delegation that could not be verified',
};
const confidences = {
  AUTHORITATIVE: 'Authoritative',
  HEURISTIC: 'Heuristic: read from a text without a defined format',
};

/** Returns how the verdict was reached. */
export function evidenceFacts({ evidence, confidence, checkedAt }) {
  const answers = (evidence?.sources ?? []).map(
    ({ source, answer }) =>
      `${sourceNames[source] ?? source}: ${answerNames[answer] ?? answer.replaceAll('_', ' ')}`,
  );
  return { Sources: answers, Confidence: confidences[confidence], Checked: time(checkedAt) };
}

/** Replaces the content of a list. Facts without a value are omitted, and so is an empty list. */
export function addFacts(list, facts) {
  const rows = Object.entries(facts)
    .map(([term, values]) => [term, [values].flat().filter(Boolean)])
    .filter(([, values]) => values.length > 0);

  list.replaceChildren(
    ...rows.flatMap(([term, values]) => [
      element('dt', term),
      ...values.map((value) => element('dd', value)),
    ]),
  );
  list.parentElement.hidden = rows.length === 0;
}

/** Returns a link to a URL; its text if a browser should not open its scheme. */
export function link(url, text = url) {
  if (!/^(?:https?|mailto|tel):$/.test(URL.parse(url ?? '')?.protocol)) return text;
  const created = element('a', text);
  created.href = url;
  created.rel = 'noreferrer nofollow';
  return created;
}

/** Returns a link that writes to an email address (`mailto`), or calls a number (`tel`). */
export function contactLink(scheme, address) {
  return address && link(`${scheme}:${address}`, address);
}

function element(name, content) {
  const created = document.createElement(name);
  created.append(content);
  return created;
}

/** Returns a date as people write it. */
export function day(dateTime) {
  return dateTime && new Date(dateTime).toLocaleDateString(undefined, { dateStyle: 'long' });
}

/** Returns a date with its time as people write it. */
export function time(dateTime) {
  const style = { dateStyle: 'long', timeStyle: 'short' };
  return dateTime && new Date(dateTime).toLocaleString(undefined, style);
}
