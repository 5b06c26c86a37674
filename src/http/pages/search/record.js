// The panel with the registration of one name.
import { runQuery } from './gateway.js';
import { formatDay, longText, shortText, formatDateTime } from './verdict-texts.js';

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
const explanation = dialog.querySelector('.explanation');
const factList = dialog.querySelector('dl');
const raw = dialog.querySelector('details');

/** Opens the panel and looks up the registration of a name. Closing it aborts the request. */
export async function openRecord(name) {
  const closeController = new AbortController();
  dialog.addEventListener('close', () => closeController.abort(), { once: true });
  show({ name, state: 'PENDING', verdictText: 'Looking up…' });
  dialog.showModal();
  try {
    const { data, errors } = await runQuery(query, { name }, closeController.signal);
    showDomain(data.domain ?? {}, name, errors?.[0]);
  } catch (error) {
    if (!closeController.signal.aborted)
      show({ name, state: 'UNANSWERED', verdictText: 'No response', text: error.message });
  }
}

function showDomain(domain, name, error) {
  if (!domain.status)
    return show({ name, state: 'INVALID', verdictText: 'Invalid name', text: error?.message });
  const { status, problem, rdap, rdapEndpoint, checkedAt } = domain;
  show({
    name: domain.unicodeName,
    state: status,
    verdictText: shortText(domain),
    text: [longText(domain), problem?.detail].filter(Boolean).join(' '),
  });
  addFacts({
    Registrar: rdap?.registrar?.name,
    Registrant: rdap?.registrant?.organization ?? rdap?.registrant?.name,
    Registered: rdap?.createdAt && formatDay(rdap.createdAt),
    Updated: rdap?.updatedAt && formatDay(rdap.updatedAt),
    Expires: rdap?.expiresAt && formatDay(rdap.expiresAt),
    Status: rdap?.statuses.join('\n'),
    Nameservers: rdap?.nameservers.join('\n'),
    DNSSEC:
      rdap?.dnssec.signed === true
        ? 'Signed'
        : rdap?.dnssec.signed === false
          ? 'Not signed'
          : undefined,
    Registry: rdapEndpoint,
    Checked: checkedAt && formatDateTime(checkedAt),
  });
  raw.hidden = !rdap?.raw;
  raw.querySelector('pre').textContent = JSON.stringify(rdap?.raw, null, 2) ?? '';
}

function show({ name, state, verdictText, text = '' }) {
  heading.textContent = name;
  verdict.dataset.state = state;
  verdict.textContent = verdictText;
  explanation.textContent = text;
  factList.replaceChildren();
  raw.hidden = true;
  raw.open = false;
}

/** Lists the facts that the registry published. Those that it did not publish are undefined. */
function addFacts(facts) {
  for (const [term, text] of Object.entries(facts)) {
    if (!text) continue;
    const [dt, dd] = ['dt', 'dd'].map((tag) => factList.appendChild(document.createElement(tag)));
    dt.textContent = term;
    dd.textContent = text;
  }
}
