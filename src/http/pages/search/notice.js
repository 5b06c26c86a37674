// Messages about a search that cannot continue, with the actions that resolve them.
import { apiKey } from './gateway.js';

const notice = document.querySelector('#notice');
const messageElement = notice.querySelector('p');
const keyForm = document.querySelector('#key-form');
const hasSandbox = 'sandbox' in document.body.dataset;
const buttons = {
  retry: document.querySelector('#retry'),
  sandbox: document.querySelector('#use-sandbox'),
  anyway: document.querySelector('#search-anyway'),
};

// Errors that a valid key resolves, and errors that another key may resolve.
const keyErrors = ['missing_api_key', 'invalid_api_key', 'forbidden_operation', 'forbidden_origin'];
const quotaErrors = ['insufficient_credits', 'rate_limited'];

/** Removes the message. */
export function clearNotice() {
  notice.hidden = true;
}

/** Shows why a request failed. `missing` of `total` names have no result. */
export function showError({ code, message }, { missing = 0, total = 0 } = {}) {
  const text = code === 'missing_api_key' ? 'This gateway requires an API key.' : message;
  const found = total - missing;
  const kept = found > 0 ? ` The ${found} results so far are kept; ${missing} are missing.` : '';
  show(text + kept, keyErrors.includes(code) ? [] : ['retry']);
  keyForm.hidden = !keyErrors.includes(code) && !quotaErrors.includes(code);
}

/** Reports that the gateway cannot reach the network, before anything is looked up. */
export function showOffline() {
  show(
    `This gateway cannot reach the internet, so it cannot look up live names. ${sandboxText}`.trim(),
    ['sandbox', 'anyway'],
  );
}

/** Reports that all lookups failed, probably because the gateway cannot reach the network. */
export function showUnreachable() {
  show(`No registry could be reached. The gateway may be offline. ${sandboxText}`.trim(), [
    'retry',
    'sandbox',
  ]);
}

const sandboxText = hasSandbox ? 'The built-in sandbox works without a network.' : '';

function show(text, actions) {
  messageElement.textContent = text;
  keyForm.hidden = true;
  for (const [name, button] of Object.entries(buttons))
    button.hidden = !actions.includes(name) || (name === 'sandbox' && !hasSandbox);
  notice.hidden = false;
}

/** Calls a function when its action is chosen: `retry` (also with a new key), `sandbox` or `anyway`. */
export function onNoticeAction(actions) {
  for (const [name, button] of Object.entries(buttons))
    button.addEventListener('click', actions[name]);
  keyForm.addEventListener('submit', (event) => {
    event.preventDefault();
    apiKey.set(keyForm.elements.key.value.trim());
    actions.retry();
  });
}
