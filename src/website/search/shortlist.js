// The names that the user has starred, with notes and groups. The browser stores them.
import { readStored, store } from './gateway.js';

const [namesKey, notesKey] = ['shortlist', 'shortlist-notes'];
const names = new Set();
/** `{ group, note }` by names. A name keeps its own while it is not starred. */
let notes = {};
const listeners = new Set();
const button = document.querySelector('#shortlist');

export const isStarred = (name) => names.has(name);
export const starredNames = () => [...names];

/** Returns the `group` and the `note` of a starred name, if it has them. */
export const notesOf = (name) => (names.has(name) && notes[name]) || {};

/** Returns the groups of the starred names. */
export const groups = () =>
  new Set(
    [...names]
      .map((name) => notesOf(name).group)
      .filter(Boolean)
      .toSorted(),
  );

/** Calls a function when other names are starred, or notes or groups have changed. */
export function onShortlistChanged(listener) {
  listeners.add(listener);
}

/** Adds a name, or removes it. */
export function toggleStar(name) {
  if (!names.delete(name)) names.add(name);
  store(namesKey, [...names]);
  showStars();
}

/** Changes the group or the note of a name. */
export function setNotes(name, changes) {
  notes[name] = { ...notes[name], ...changes };
  if (!Object.values(notes[name]).some(Boolean)) delete notes[name];
  store(notesKey, notes);
  showStars();
}

/** Makes a button star a name. The row of the button shows its notes. */
export function setStarred(star, name) {
  star.dataset.star = name;
  star.ariaPressed = String(isStarred(name));
  star.ariaLabel = `Shortlist ${name}`;
  star.title = isStarred(name) ? 'Remove from the shortlist' : 'Add to the shortlist';

  const { group, note } = notesOf(name);
  const memo = star.closest('li')?.querySelector('.memo');
  if (memo) memo.textContent = [group, note].filter(Boolean).join(' · ');
}

function showStars() {
  for (const star of document.querySelectorAll('[data-star]')) setStarred(star, star.dataset.star);
  button.hidden = names.size === 0;
  button.querySelector('.count').textContent = names.size;
  for (const listener of listeners) listener();
}

function read() {
  names.clear();
  for (const name of readStored(namesKey, [])) names.add(name);
  notes = readStored(notesKey, {});
  showStars();
}

document.addEventListener('click', ({ target }) => {
  const star = target.closest('[data-star]');
  if (star) toggleStar(star.dataset.star);
});
// Another tab has changed the list.
addEventListener('storage', ({ key }) => (key === namesKey || key === notesKey) && read());
read();
