// The search field, and what the page makes of its content.
import { writeAddress } from './address.js';
import { maxNames } from './typed-text.js';

const field = document.querySelector('#label');
const interpretation = document.querySelector('#interpretation');

export const readField = () => field.value.trim();

export function setField(text) {
  field.value = text;
}

export function focusField() {
  field.focus();
}

let reader;
let hasFailed = false;

/**
 * Loads what reads texts. The page is ready sooner without it, and an empty field needs none. Browsers
 * remember that a module failed to load, so the next attempt loads the page again with the text.
 */
export async function loadReader() {
  try {
    if (hasFailed) {
      await fetch(import.meta.resolve('./read-text.js'), { cache: 'no-store' });
      writeAddress({ q: readField() });
      location.reload();
      await new Promise(() => {});
    }
    reader = await import('./read-text.js');
  } catch {
    hasFailed = true;
    throw new Error('The gateway cannot be reached.');
  }
}

export const isReady = () => reader !== undefined || readField() === '';

/** Interprets the content of the field, and explains it if it is not a name. */
export function interpretField() {
  const input = readField() === '' ? { kind: 'empty' } : reader.readText(field.value);
  if (input.kind === 'empty') show('Type a name, or paste a link, list or IP address.');
  if (input.kind === 'invalid') showInvalid(input.message, input.suggestion);
  if (input.kind === 'list') showList(input);
  if (input.kind === 'object') showLabel(input.key, input);
  if (input.kind === 'name' && input.labels.length < 3) showLabel(input.labels[0], input);
  return input;
}

/** Shows what is searched, and other readings of the text: another name, or several names. */
export function showLabel(label, { alternative, words, note, unlikely }) {
  const more = [...reader.leftOut(unlikely), ...(note ? [note] : [])].map((text) => ` ${text}`);
  const others = [...searchInstead(alternative), ...checkAs(words)];
  show('Showing results for ', bold(label), '.', ...more, ...others);
}

function checkAs(words) {
  const count = words?.split(', ').length;
  if (count > 1) return [' ', textButton(words, `Check as ${count} names`)];
  return searchInstead(words);
}

function showList(reading) {
  const count = reading.names.length;
  const cut = `Only the first ${maxNames.toLocaleString()} are shown.`;
  show(
    reader.summaryOf({ ...reading, joined: undefined, words: undefined }, 'Showing'),
    count > maxNames && ` ${cut}`,
    ...searchInstead(reading.joined),
    ...checkAs(reading.words),
  );
}

/** Explains why the text is not a name. */
export function showInvalid(message, suggestion) {
  show(message, ...searchInstead(suggestion));
  field.setAttribute('aria-invalid', 'true');
  interpretation.classList.add('invalid');
}

function searchInstead(text) {
  return text ? [' ', textButton(text, 'Search ', bold(text), ' instead')] : [];
}

/** Returns a button that puts a text into the field. */
export function textButton(text, ...content) {
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset.example = text;
  button.append(...content);
  return button;
}

function show(...content) {
  interpretation.replaceChildren(...content.filter(Boolean));
  field.removeAttribute('aria-invalid');
  interpretation.classList.remove('invalid');
}

function bold(text) {
  const element = document.createElement('strong');
  element.textContent = text;
  return element;
}

/**
 * Calls `onInput` when the user types, and `onChosen` when another text was put into the field: an
 * example, a suggestion, or the content of a file.
 */
export function onFieldChanged(onInput, onChosen) {
  const put = (text) => {
    setField(text);
    focusField();
    onChosen();
  };
  field.addEventListener('input', onInput);
  document.addEventListener('click', ({ target }) => {
    const { example } = target.closest('[data-example]')?.dataset ?? {};
    if (example !== undefined) put(example);
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      field.form.requestSubmit();
    }
    if (event.key !== 'Escape' || field.value === '') return;
    event.preventDefault();
    put('');
  });
  const putFile = async (file) => put(await file.text());
  document.querySelector('#file').addEventListener('change', ({ target }) => {
    if (target.files.length > 0) void putFile(target.files[0]);
    target.value = '';
  });
  addEventListener('dragover', (event) => isFile(event) && event.preventDefault());
  addEventListener('drop', (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    void putFile(event.dataTransfer.files[0]);
  });
}

const isFile = ({ dataTransfer }) => dataTransfer.types.includes('Files');

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
