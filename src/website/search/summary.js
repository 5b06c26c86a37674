// The result of the whole search in one line, its progress, and the credits that are left.
import { apiKey, runQuery } from './gateway.js';

const summary = document.querySelector('#summary');
const announcement = document.querySelector('#announcement');
const progress = document.querySelector('#progress');
const grid = document.querySelector('#grid');
const credits = document.querySelector('#credits');
let left = Infinity;

/** Shows the counts of a search. Only the final result is announced to screen readers. */
export function showSummary({ counts, total, isBusy, missing }) {
  grid.ariaBusy = String(isBusy);
  progress.hidden = !isBusy;
  progress.max = total || 1;
  progress.value = total - missing.length;

  const checking = isBusy ? missing.length : 0;
  const shown = Object.entries({ ...counts, checking }).filter(
    ([group, count]) => count > 0 || group === 'available' || group === 'taken',
  );
  const parts = shown.map(([group, count]) => partOf(group, count));
  summary.replaceChildren(...parts);
  if (isBusy) return;

  const texts = parts.map(({ textContent }) => textContent);
  announcement.textContent = `${total - missing.length} names checked: ${texts.join(', ')}.`;
}

/** Removes the result of the last search. */
export function clearSummary() {
  summary.textContent = announcement.textContent = '';
  grid.ariaBusy = 'false';
  progress.hidden = true;
}

function partOf(group, count) {
  const part = document.createElement('span');
  part.className = group;
  part.textContent = `${count} ${group}`;
  return part;
}

/** Returns the credits that were left when they were last shown, or infinity without a key. */
export const creditsLeft = () => left;

/** Shows the credits that are left to the API key. Nothing is shown without a key. */
export async function showCredits() {
  if (!apiKey.get()) return;

  const { data } = await runQuery('{ account { creditsRemaining creditsLimit } }').catch(
    () => ({}),
  );
  if (!data?.account) return;

  const { creditsRemaining, creditsLimit } = data.account;
  left = creditsRemaining;
  const [remaining, limit] = [creditsRemaining, creditsLimit].map((count) =>
    count.toLocaleString(),
  );

  credits.textContent = `${remaining} of ${limit} credits left`;
}
