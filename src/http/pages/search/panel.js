// The panel with the details of one name.
import { runQuery } from './gateway.js';
import { addFacts, evidenceFacts, nameFacts, registrationFacts } from './facts.js';
import { setRegisterLink } from './headline.js';
import { verdictOf } from './verdicts.js';

const query = `query Details($name: String!) {
  domain(name: $name) {
    domain unicodeName status reason confidence source checkedAt problem { code detail }
    evidence { sources { source answer } }
    registration {
      source registrar { name ianaId url abuseEmail abusePhone } registrant { name organization }
      createdAt updatedAt expiresAt statuses hosts { name addresses { ip } } dnssec { signed } raw
    }
  }
}`;

const panel = document.querySelector('#panel');
const [heading, verdict, explanation, caveat, register, site, copyName, copyLink, raw] = [
  'h2',
  '.verdict',
  '.explanation',
  '.caveat',
  '.register',
  '.site',
  '.copy-name',
  '.copy-link',
  'details',
].map((selector) => panel.querySelector(selector));
const lists = Object.fromEntries(
  ['names', 'registration', 'evidence'].map((id) => [id, panel.querySelector(`#${id}`)]),
);
let request = new AbortController();

/** Opens the panel and looks up the details of a name. Closing it aborts the request. */
export async function openPanel(name) {
  request.abort();
  const { signal } = (request = new AbortController());
  show(name, { domain: name, unicodeName: name, status: 'PENDING' });
  if (!panel.open) panel.showModal();
  try {
    const { data, errors } = await runQuery(query, { name }, signal);
    const { domain = undefined } = data;
    // The page is ready sooner if this is loaded only when it is needed.
    const { hostElement } = await import('./networks.js');
    if (signal.aborted) return;
    if (domain) show(name, domain, (host) => hostElement(host, signal));
    else show(name, { status: 'INVALID', problem: { detail: errors?.[0]?.message } });
  } catch (error) {
    if (!signal.aborted) show(name, { status: 'UNANSWERED', problem: { detail: error.message } });
  }
}

/** Closes the panel. */
export function closePanel() {
  panel.close();
}

/** Calls `onClosed` when the panel was closed. */
export function onPanelClosed(onClosed) {
  panel.addEventListener('close', () => {
    // Chromium sends the event with the next frame. Until then, Forward may have opened the panel.
    if (panel.open) return;
    request.abort();
    onClosed();
  });
}

function show(name, details, hostElement) {
  const { status, unicodeName = name, domain = name, registration, problem } = details;
  const { word, note, text } = verdictOf(details);
  heading.textContent = unicodeName;
  verdict.dataset.state = status;
  verdict.textContent = note ? `${word}, ${note}` : word;
  // Without a record, the problem explains why there is none; otherwise why there is no verdict.
  explanation.textContent = [text, problem?.detail].filter(Boolean).join(' ');
  caveat.hidden = status !== 'AVAILABLE';
  setRegisterLink(register, status, domain);
  site.hidden = status !== 'REGISTERED';
  site.href = `https://${domain}/`;
  addFacts(lists.names, nameFacts({ domain, unicodeName }));
  addFacts(lists.registration, registrationFacts(registration, hostElement));
  addFacts(lists.evidence, evidenceFacts(details));
  raw.hidden = !registration?.raw;
  raw.open = false;
  raw.querySelector('pre').textContent = registration?.raw
    ? JSON.stringify(registration.raw, null, 2)
    : '';
}

/** Copies a text, and confirms it on the button for a moment. */
async function copy(button, text) {
  const label = button.textContent;
  if (button.dataset.copied !== undefined) return;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Copying is blocked';
  }
  button.dataset.copied = '';
  setTimeout(() => {
    button.textContent = label;
    delete button.dataset.copied;
  }, 1500);
}

copyName.addEventListener('click', () => void copy(copyName, heading.textContent));
copyLink.addEventListener('click', () => void copy(copyLink, location.href));
panel.querySelector('.close').addEventListener('click', closePanel);
// A click on the backdrop has the panel itself as its target.
panel.addEventListener('click', ({ target }) => target === panel && closePanel());
