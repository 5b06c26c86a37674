// The search field, and what the page makes of its content.
import { interpret } from './input.js';

const field = document.querySelector('#label');
const interpretation = document.querySelector('#interpretation');

export const readField = () => field.value.trim();

export function setField(text) {
  field.value = text;
}

export function focusField() {
  field.focus();
}

/** Interprets the content of the field, and explains it if it is not a name. */
export function interpretField() {
  const input = interpret(field.value);
  if (input.kind === 'empty') show('Type a name, or paste a domain or a link.');
  if (input.kind === 'invalid') showInvalid(input.message, input.suggestion);
  if (input.kind === 'name' && input.labels.length < 3)
    showLabel(input.labels[0], input.alternative);
  return input;
}

/** Shows which label is searched, and another reading of the text. */
export function showLabel(label, alternative) {
  show('Showing results for ', bold(label), '.', ...searchInstead(alternative));
}

/** Explains why the text is not a name. */
export function showInvalid(message, suggestion) {
  show(message, ...searchInstead(suggestion));
  field.setAttribute('aria-invalid', 'true');
  interpretation.classList.add('invalid');
}

function searchInstead(text) {
  if (!text) return [];
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset.example = text;
  button.append('Search ', bold(text), ' instead');
  return [' ', button];
}

function show(...content) {
  interpretation.replaceChildren(...content);
  field.removeAttribute('aria-invalid');
  interpretation.classList.remove('invalid');
}

function bold(text) {
  const element = document.createElement('strong');
  element.textContent = text;
  return element;
}

/**
 * Calls `onInput` when the user types, and `onExample` when an example or a suggestion was put into
 * the field.
 */
export function onFieldChanged(onInput, onExample) {
  field.addEventListener('input', onInput);
  document.addEventListener('click', ({ target }) => {
    const { example } = target.closest('[data-example]')?.dataset ?? {};
    if (example === undefined) return;
    setField(example);
    focusField();
    onExample();
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || field.value === '') return;
    event.preventDefault();
    setField('');
    onExample();
  });
}

// A slash focuses the field, unless it is typed into another one.
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.matches(
    'input:not([type=radio], [type=checkbox]), textarea, select',
  );
  if (event.key !== '/' || isTyping || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  field.focus();
  field.select();
});
