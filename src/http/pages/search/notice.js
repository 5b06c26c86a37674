// Error messages of a search, shown at the field or in a notice that can prompt for an API key.
import { apiKey } from './gateway.js';

const notice = document.querySelector('#notice');
const messageElement = notice.querySelector('p');
const keyForm = document.querySelector('#key-form');
const actions = {
  retry: document.querySelector('#retry'),
  sandbox: document.querySelector('#use-sandbox'),
};
const field = document.querySelector('#label');
const fieldError = document.querySelector('#field-error');

// Errors that a valid key resolves, and errors that another key may resolve.
const keyErrors = ['missing_api_key', 'invalid_api_key', 'forbidden_origin'];
const quotaErrors = ['insufficient_credits', 'rate_limited'];

/** Removes all messages. */
export function clearNotice() {
  notice.hidden = true;
  fieldError.textContent = '';
  field.removeAttribute('aria-invalid');
}

/** Shows why a request failed. */
export function showError({ code, message }) {
  if (code === 'invalid_name') {
    fieldError.textContent = message;
    field.setAttribute('aria-invalid', 'true');
    return;
  }
  const text = code === 'missing_api_key' ? 'This gateway requires an API key.' : message;
  show(text, keyErrors.includes(code) ? undefined : 'retry');
  keyForm.hidden = !keyErrors.includes(code) && !quotaErrors.includes(code);
}

/** Reports that all registries failed, probably because the gateway has no network access. */
export function showUnreachable() {
  show(
    'No registry could be reached. The gateway may be offline; the built-in sandbox works without a network.',
    'sandbox',
  );
}

function show(text, action) {
  messageElement.textContent = text;
  keyForm.hidden = true;
  for (const [name, button] of Object.entries(actions)) button.hidden = name !== action;
  notice.hidden = false;
}

/** Calls `onRequested` when the user retries the search, with or without a new key. */
export function onRetry(onRequested) {
  actions.retry.addEventListener('click', onRequested);
  keyForm.addEventListener('submit', (event) => {
    event.preventDefault();
    apiKey.set(keyForm.elements.key.value.trim());
    onRequested();
  });
}
