// The answer for a full domain name, above the grid.
import { textButton } from './reading.js';
import { toAscii } from './typed-text.js';
import { setStarred } from './shortlist.js';
import { mayBeRetried, phraseOf, setOfferLink, verdictOf } from './verdicts.js';
import { setWatch } from './watches.js';

const headline = document.querySelector('#headline');
const [nameElement, verdict, explanation, offer, register, watch, star, again, details] = [
  'h2',
  '.verdict',
  '.explanation',
  '.offer',
  '.register',
  '.watch',
  '.star',
  '.again',
  '.details',
].map((selector) => headline.querySelector(selector));

const { registerUrl } = document.body.dataset;

/** Points a link to the place where the operator sends buyers, or hides it. */
export function setRegisterLink(link, status, domain) {
  link.hidden = !registerUrl || status !== 'AVAILABLE';
  if (!link.hidden)
    link.href = registerUrl.replaceAll('{domain}', encodeURIComponent(toAscii(domain)));
}

/** Returns the text of a verdict, with what to check before the name is registered. */
export function explanationOf({ text }, { cautions = [] }) {
  return [text, ...cautions.map(({ detail }) => detail)].join(' ');
}

/** Shows a name whose lookup has started. Without a name, there is no headline. */
export function showHeadline(name) {
  headline.hidden = name === undefined;
  nameElement.textContent = name ?? '';
  fillHeadline({ status: 'PENDING' });
}

/** Shows the row of the name. */
export function fillHeadline(row) {
  if (row.unicodeName && row.status !== 'INVALID') nameElement.textContent = row.unicodeName;
  const shown = verdictOf(row);
  headline.dataset.kind = shown.kind;
  verdict.textContent = phraseOf(shown);
  explanation.textContent = explanationOf(shown, row);
  for (const name of row.didYouMean ?? [])
    explanation.append(' ', textButton(name, `Search ${name} instead`));
  again.hidden = !mayBeRetried(row);
  setStarred(star, nameElement.textContent);
  setWatch(watch, nameElement.textContent, row);
  setOfferLink(offer, row.offers ?? []);
  setRegisterLink(register, row.status, nameElement.textContent);
}

/** Calls `onSelected(name)` when its details are requested, and `onRetry()` for "Try again". */
export function onHeadlineAction({ onSelected, onRetry }) {
  details.addEventListener('click', () => onSelected(nameElement.textContent));
  again.addEventListener('click', onRetry);
}
