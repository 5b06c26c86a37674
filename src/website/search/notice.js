// Messages about a search that cannot continue, with the actions that resolve them. If waiting
// resolves it, the search continues by itself.
import { apiKey } from './gateway.js';

const notice = document.querySelector('#notice');
const messageElement = notice.querySelector('.message');
const countdown = notice.querySelector('.countdown');
const keyForm = document.querySelector('#key-form');
const hasSandbox = 'sandbox' in document.body.dataset;
const buttons = {
  retry: document.querySelector('#retry'),
  sandbox: document.querySelector('#use-sandbox'),
  anyway: document.querySelector('#search-anyway'),
};
let timer;
/** How often a gateway that cannot be reached is tried again. */
const reconnectSeconds = 5;
/** Whether the search continues when the browser is online again. */
let waitsForNetwork = false;

// Errors that a valid key resolves, and an error that another key may resolve.
const keyErrors = ['missing_api_key', 'invalid_api_key', 'forbidden_operation', 'forbidden_origin'];
const quotaError = 'insufficient_credits';

/** Removes the message. */
export function clearNotice() {
  clearInterval(timer);
  waitsForNetwork = false;
  notice.hidden = true;
}

/** Shows why a request failed. `missing` of `total` names have no result. */
export function showError(error, { missing = 0, total = 0 } = {}) {
  const { code, retryAfter } = error;
  const needsKey = keyErrors.includes(code);
  const found = total - missing;
  const kept = found > 0 ? ` The ${found} results so far are kept; ${missing} are missing.` : '';
  show(textOf(error) + kept, needsKey ? [] : ['retry']);
  keyForm.hidden = !needsKey && code !== quotaError;
  waitsForNetwork = code === undefined;
  if (retryAfter) startCountdown(retryAfter);
  else if (waitsForNetwork && navigator.onLine) startCountdown(reconnectSeconds);
}

function textOf({ code, message }) {
  if (code === 'missing_api_key')
    return 'This gateway requires an API key. Its operator creates keys.';
  if (code === 'rate_limited') return 'You have sent too many requests.';
  if (code === undefined && !navigator.onLine)
    return 'You are offline. The search continues when you are online again.';
  return message;
}

function startCountdown(seconds) {
  let left = Math.ceil(seconds);
  const tick = () => {
    countdown.textContent = `Continuing in ${left} s.`;
    if (left === 0) buttons.retry.click();
    left -= 1;
  };

  tick();
  timer = setInterval(tick, 1000);
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
  clearNotice();
  messageElement.textContent = text;
  countdown.textContent = '';
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

addEventListener('online', () => waitsForNetwork && buttons.retry.click());
