// The names that the user has starred, which the browser stores.
const storageKey = 'shortlist';
const names = new Set(JSON.parse(localStorage.getItem(storageKey) ?? '[]'));
const button = document.querySelector('#shortlist');

export const isStarred = (name) => names.has(name);
export const starredNames = () => [...names];

/** Adds a name, or removes it. */
export function toggleStar(name) {
  if (!names.delete(name)) names.add(name);
  localStorage.setItem(storageKey, JSON.stringify([...names]));
  showStars();
}

/** Makes a button star a name. */
export function setStarred(star, name) {
  star.dataset.star = name;
  star.ariaPressed = String(isStarred(name));
  star.ariaLabel = `Shortlist ${name}`;
  star.title = isStarred(name) ? 'Remove from the shortlist' : 'Add to the shortlist';
}

function showStars() {
  for (const star of document.querySelectorAll('[data-star]')) setStarred(star, star.dataset.star);
  button.hidden = names.size === 0;
  button.querySelector('.count').textContent = names.size;
}

document.addEventListener('click', ({ target }) => {
  const star = target.closest('[data-star]');
  if (star) toggleStar(star.dataset.star);
});
// Another tab has changed the list.
addEventListener('storage', ({ key, newValue }) => {
  if (key !== storageKey) return;
  names.clear();
  for (const name of JSON.parse(newValue ?? '[]')) names.add(name);
  showStars();
});
showStars();
