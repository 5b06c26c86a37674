// The panel with the details of one name.
import { isFree, runQuery } from './gateway.js';
import {
  addFacts,
  evidenceFacts,
  nameFacts,
  registrationFacts,
  saleFacts,
  siteFacts,
} from './facts.js';
import { copyText } from './export.js';
import { explanationOf, setRegisterLink } from './headline.js';
import { hostElement } from './networks.js';
import { evidencePicture, pictureFields } from './picture.js';
import {
  groups,
  isStarred,
  notesOf,
  onShortlistChanged,
  setNotes,
  setStarred,
} from './shortlist.js';
import { showCredits } from './summary.js';
import { offerFields, phraseOf, setOfferLink, verdictOf } from './verdicts.js';
import { loadWatches, setWatch } from './watches.js';

const query = `query Details($name: String!) {
  domain(name: $name) {
    ${pictureFields}
    confidence problem { code detail }
    cautions { code detail }
    ${offerFields}
    registration {
      source registrar { name ianaId url abuseEmail abusePhone } registrant { name organization }
      createdAt updatedAt expiresAt statuses hosts { name addresses { ip } } dnssec { signed } raw
    }
  }
}`;

/** Most sellers publish no offer (RFC 10023), so that the details do not wait for it. */
const saleQuery = `query Sale($name: String!) {
  domain(name: $name) { forSale { forSale offers { text amount currency uri } } }
}`;

const homeQuery = `query Home($name: String!) {
  domain(name: $name) {
    page { title httpStatus finalUrl redirects { url } problem { detail } }
  }
}`;

// Nothing else needs this style.
const style = document.createElement('link');
style.rel = 'stylesheet';
style.href = new URL('picture.css', import.meta.url).href;
document.head.append(style);

const panel = document.querySelector('#panel');
const [
  heading,
  verdict,
  explanation,
  caveat,
  offer,
  register,
  watch,
  star,
  site,
  copyName,
  copyLink,
  raw,
  notes,
  home,
] = [
  'h2',
  '.verdict',
  '.explanation',
  '.caveat',
  '.offer',
  '.register',
  '.watch',
  '.star',
  '.site',
  '.copy-name',
  '.copy-link',
  'details',
  '.notes',
  '.home',
].map((selector) => panel.querySelector(selector));
const lists = Object.fromEntries(
  ['home', 'names', 'sale', 'registration', 'evidence'].map((id) => [
    id,
    panel.querySelector(`#${id}`),
  ]),
);
let request = new AbortController();

/** Opens the panel and looks up the details of a name. Closing it aborts the request. */
export async function openPanel(name) {
  request.abort();
  const { signal } = (request = new AbortController());
  show(name, { domain: name, unicodeName: name, status: 'PENDING' });
  if (!panel.open) panel.showModal();
  void loadWatches();

  try {
    const { data, errors } = await runQuery(query, { name }, signal);
    const { domain = undefined } = data;
    if (signal.aborted) return;
    if (domain) show(name, domain, (host) => hostElement(host, signal));
    else show(name, { status: 'INVALID', problem: { detail: errors?.[0]?.message } });
    if (domain?.status === 'REGISTERED') void showSale(name, signal);
  } catch (error) {
    if (!signal.aborted) show(name, { status: 'UNANSWERED', problem: { detail: error.message } });
  }
}

/** Shows the offers of the owner, if there are any. */
async function showSale(name, signal) {
  const { data } = await runQuery(saleQuery, { name }, signal).catch(() => ({}));
  if (!signal.aborted) addFacts(lists.sale, saleFacts(data?.domain?.forSale));
}

/** Shows what the home page of the name says, which is read only on request. */
async function showHome() {
  const { signal } = request;
  const { data, errors, message } = await runQuery(
    homeQuery,
    { name: heading.textContent },
    signal,
  ).catch((error) => error);

  if (signal.aborted) return;

  const problem = { detail: message ?? errors?.[0]?.message };
  addFacts(lists.home, siteFacts(data?.domain?.page ?? { problem }));
  void showCredits();
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

function show(name, details, showHost) {
  const { status, unicodeName = name, domain = name, registration } = details;
  const shown = verdictOf(details);
  heading.textContent = unicodeName;
  verdict.dataset.kind = shown.kind;
  verdict.textContent = phraseOf(shown);
  explanation.textContent = [explanationOf(shown, details), detailOf(details)]
    .filter(Boolean)
    .join(' ');
  setStarred(star, unicodeName);
  showNotes();
  setWatch(watch, unicodeName, details);
  caveat.hidden = status !== 'AVAILABLE';
  setOfferLink(offer, details.offers ?? []);
  setRegisterLink(register, status, domain);
  site.hidden = status !== 'REGISTERED';
  site.href = `https://${domain}/`;
  home.hidden = status !== 'REGISTERED';
  home.querySelector('.price').textContent = isFree(domain)
    ? 'Free of charge.'
    : 'Costs 2 credits.';
  addFacts(lists.home, {});
  addFacts(lists.names, nameFacts({ domain, unicodeName }));
  addFacts(lists.sale, {});
  addFacts(lists.registration, registrationFacts(registration, showHost));
  addFacts(lists.evidence, evidenceFacts(details));

  const picture = evidencePicture(details, Date.now());
  lists.evidence.nextElementSibling.replaceChildren(...(picture ? [drawn(picture)] : []));
  raw.hidden = !registration?.raw;
  raw.open = false;
  raw.querySelector('pre').textContent = registration?.raw
    ? JSON.stringify(registration.raw, null, 2)
    : '';
}

/** Shows the fields for the notes of a starred name. */
function showNotes() {
  const name = heading.textContent;
  notes.hidden = !isStarred(name);
  const { note = '', group = '' } = notesOf(name);

  // A field that the user is typing into is left as it is.
  if (notes.note.value.trim() !== note) notes.note.value = note;
  if (notes.group.value.trim() !== group) notes.group.value = group;
  notes
    .querySelector('datalist')
    .replaceChildren(...[...groups()].map((each) => new Option(each, each)));
}

/** Returns the elements of a picture. */
function drawn({ tag, attributes, children }, parent) {
  const isSvg = tag === 'svg' || parent === 'svg';
  const created = isSvg
    ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(
    ...children.map((child) => (typeof child === 'object' ? drawn(child, tag) : child)),
  );

  return created;
}

/** Returns why there is no verdict, or no record of a registered name. */
function detailOf({ status, problem }) {
  if (problem?.code !== 'no_rdap') return problem?.detail;
  return status !== 'AVAILABLE' && 'Registration details aren’t available for this TLD.';
}

onShortlistChanged(showNotes);
notes.addEventListener('input', ({ target }) => {
  setNotes(heading.textContent, { [target.name]: target.value.trim() });
});
notes.addEventListener('submit', (event) => event.preventDefault());
home.querySelector('button').addEventListener('click', () => void showHome());
copyName.addEventListener('click', () => void copyText(copyName, heading.textContent));
copyLink.addEventListener('click', () => void copyText(copyLink, location.href));
panel.querySelector('.close').addEventListener('click', () => panel.close());
// A click on the backdrop has the panel itself as its target.
panel.addEventListener('click', ({ target }) => target === panel && panel.close());
