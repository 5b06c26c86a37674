// The panel with all that a registry tells of one name.
import { ask } from './gateway.js';
import { day, inFull, inShort, moment } from './words.js';

const query = `query Record($name: String!) {
  domain(name: $name) {
    unicodeName status reason rdapEndpoint checkedAt problem { detail }
    rdap {
      registrar { name } registrant { name organization }
      createdAt updatedAt expiresAt statuses nameservers dnssec { signed } raw
    }
  }
}`;

const dialog = document.querySelector('#record');
const heading = dialog.querySelector('h2');
const verdict = dialog.querySelector('.verdict');
const sentence = dialog.querySelector('.sentence');
const facts = dialog.querySelector('dl');
const raw = dialog.querySelector('details');

/** Opens the panel on a name and fills it when the registry has answered; closing it ends the request. */
export async function openRecord(name) {
  const closed = new AbortController();
  dialog.addEventListener('close', () => closed.abort(), { once: true });
  show({ name, state: 'ASKED', words: 'asking the registry…' });
  dialog.showModal();
  try {
    const { data, errors } = await ask(query, { name }, closed.signal);
    showDomain(data.domain ?? {}, name, errors?.[0]);
  } catch (refusal) {
    if (!closed.signal.aborted)
      show({ name, state: 'UNANSWERED', words: 'not answered', said: refusal.message });
  }
}

function showDomain(domain, name, error) {
  if (!domain.status)
    return show({ name, state: 'INVALID', words: 'not a name', said: error?.message });
  const { status, problem, rdap, rdapEndpoint, checkedAt } = domain;
  show({
    name: domain.unicodeName,
    state: status,
    words: inShort(domain),
    said: [inFull(domain), problem?.detail].filter(Boolean).join(' '),
  });
  addFacts({
    Registrar: rdap?.registrar?.name,
    Holder: rdap?.registrant?.organization ?? rdap?.registrant?.name,
    Registered: rdap?.createdAt && day(rdap.createdAt),
    Changed: rdap?.updatedAt && day(rdap.updatedAt),
    Expires: rdap?.expiresAt && day(rdap.expiresAt),
    Status: rdap?.statuses.join('\n'),
    'Name servers': rdap?.nameservers.join('\n'),
    DNSSEC:
      rdap?.dnssec.signed === true
        ? 'signed'
        : rdap?.dnssec.signed === false
          ? 'not signed'
          : undefined,
    Registry: rdapEndpoint,
    'As of': checkedAt && moment(checkedAt),
  });
  raw.hidden = !rdap?.raw;
  raw.querySelector('pre').textContent = JSON.stringify(rdap?.raw, null, 2) ?? '';
}

function show({ name, state, words, said = '' }) {
  heading.textContent = name;
  verdict.dataset.state = state;
  verdict.textContent = words;
  sentence.textContent = said;
  facts.replaceChildren();
  raw.hidden = true;
  raw.open = false;
}

/** What is missing was not published, and is not listed. */
function addFacts(all) {
  for (const [term, said] of Object.entries(all)) {
    if (!said) continue;
    const [dt, dd] = ['dt', 'dd'].map((tag) => facts.appendChild(document.createElement(tag)));
    dt.textContent = term;
    dd.textContent = said;
  }
}
