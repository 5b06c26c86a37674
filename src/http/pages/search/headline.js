// The answer for a full domain name, above the grid.
import { toAscii } from './input.js';
import { verdictOf } from './verdicts.js';

const headline = document.querySelector('#headline');
const nameElement = headline.querySelector('h2');
const verdict = headline.querySelector('.verdict');
const explanation = headline.querySelector('.explanation');
const register = headline.querySelector('.register');

const { registerUrl } = document.body.dataset;

/** Points a link to the place where the operator sends buyers, or hides it. */
export function setRegisterLink(link, status, domain) {
  link.hidden = !registerUrl || status !== 'AVAILABLE';
  if (!link.hidden)
    link.href = registerUrl.replaceAll('{domain}', encodeURIComponent(toAscii(domain)));
}

/** Shows a name whose lookup has started. Without a name, there is no headline. */
export function showHeadline(name) {
  headline.hidden = name === undefined;
  nameElement.textContent = name ?? '';
  fillHeadline({ status: 'PENDING' });
}

/** Shows the row of the name. */
export function fillHeadline(row) {
  const { word, note, text } = verdictOf(row);
  headline.dataset.state = row.status;
  verdict.textContent = note ? `${word}, ${note}` : word;
  explanation.textContent = text;
  setRegisterLink(register, row.status, nameElement.textContent);
}

/** Calls `onSelected` with the name when its details are requested. */
export function onHeadlineSelected(onSelected) {
  const button = headline.querySelector('.details');
  button.addEventListener('click', () => onSelected(nameElement.textContent));
}
