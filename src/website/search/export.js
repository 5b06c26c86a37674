// Copies names, and saves results as CSV.
import { notesOf } from './shortlist.js';

const columns = [
  'domain',
  'unicode_name',
  'status',
  'confidence',
  'problem',
  'cautions',
  'group',
  'note',
];

/** Returns rows as CSV (RFC 4180). */
export function csvOf(rows) {
  const lines = rows.map(({ domain, unicodeName, status, confidence, problem, cautions = [] }) => [
    domain,
    unicodeName,
    status.toLowerCase(),
    confidence?.toLowerCase(),
    problem?.code,
    cautions.map(({ code }) => code).join(' '),
    notesOf(unicodeName).group,
    notesOf(unicodeName).note,
  ]);
  return [columns, ...lines].map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

const quoted = (cell = '') => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Saves a text as a file. */
export function saveFile(name, text) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Copies a text, and confirms it on the button for a moment. */
export async function copyText(button, text) {
  const label = button.textContent;
  if (button.dataset.copied !== undefined) return;

  button.dataset.copied = '';
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Copying is blocked';
  }

  setTimeout(() => {
    button.textContent = label;
    delete button.dataset.copied;
  }, 1500);
}
