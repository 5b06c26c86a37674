// What went wrong with a search, said where it can be mended: at the field, or in a notice that may ask for an API key.
import { apiKey } from './gateway.js';

const notice = document.querySelector('#notice');
const messageElement = notice.querySelector('p');
const keyForm = document.querySelector('#key-form');
const actions = {
  retry: document.querySelector('#again'),
  test: document.querySelector('#use-test'),
};
const field = document.querySelector('#label');
const fieldError = document.querySelector('#fault');

/** Refusals that a key lifts, and those that another one may. */
const keyErrors = ['missing_api_key', 'invalid_api_key', 'forbidden_origin'];
const quotaErrors = ['insufficient_credits', 'rate_limited'];

/** Takes back whatever was said. */
export function clearNotice() {
  notice.hidden = true;
  fieldError.textContent = '';
  field.removeAttribute('aria-invalid');
}

/** Says why the gateway did not do what it was asked. */
export function showError({ code, message }) {
  if (code === 'invalid_name') {
    fieldError.textContent = message;
    field.setAttribute('aria-invalid', 'true');
    return;
  }
  const text =
    code === 'missing_api_key' ? 'This gateway answers those who have an API key.' : message;
  show(text, keyErrors.includes(code) ? undefined : 'retry');
  keyForm.hidden = !keyErrors.includes(code) && !quotaErrors.includes(code);
}

/** Says that all registries failed at once, which is seldom their doing. */
export function showUnreachable() {
  show(
    'None of these registries could be reached: the gateway itself may be offline. The one inside it always answers.',
    'test',
  );
}

function show(text, action) {
  messageElement.textContent = text;
  keyForm.hidden = true;
  for (const [name, button] of Object.entries(actions)) button.hidden = name !== action;
  notice.hidden = false;
}

/** Calls back when the search is wanted once more, with a key or as it was. */
export function onRetry(onRequested) {
  actions.retry.addEventListener('click', onRequested);
  keyForm.addEventListener('submit', (event) => {
    event.preventDefault();
    apiKey.set(keyForm.elements.key.value.trim());
    onRequested();
  });
}
