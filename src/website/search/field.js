// The search field, and what the page makes of its content.
import { writeAddress } from './address.js';
import { GatewayError, unreachable } from './gateway.js';
import { explanationOf } from './reading.js';

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
    throw new GatewayError(unreachable);
  }
}

export const isReady = () => reader !== undefined || readField() === '';

/** Interprets the content of the field, and says how, unless the gateway has to find the name first. */
export function interpretField() {
  const input = readField() === '' ? { kind: 'empty' } : reader.readText(field.value);
  if (input.kind === 'empty') show('Type a name, or paste a link, list or IP address.');
  else if (!(input.labels?.length > 2)) showReading(input);
  return input;
}

/** Says how the text was read. `name` is what is searched of a single name. */
export function showReading(reading, name) {
  show(...explanationOf(reading, reader, name));
  if (reading.kind !== 'invalid') return;
  field.setAttribute('aria-invalid', 'true');
  interpretation.classList.add('invalid');
}

function show(...content) {
  interpretation.replaceChildren(...content);
  field.removeAttribute('aria-invalid');
  interpretation.classList.remove('invalid');
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
