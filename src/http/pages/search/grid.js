// The grid: one tile of a fixed size per TLD, so that no tile moves while rows arrive. It is a single
// tab stop, within which the arrow keys move.
import { verdictOf } from './verdicts.js';

const list = document.querySelector('#grid');
const template = document.querySelector('#tile');
const noMatches = document.querySelector('#no-matches');
const field = document.querySelector('#label');
const tiles = new Map();
let order = 'suggested';

/** Removes all tiles. */
export function clearTiles() {
  tiles.clear();
  list.replaceChildren();
  showNoMatches();
}

/** Adds an empty tile for a name under each TLD. */
export function addTiles(label, tlds) {
  for (const { label: tld, unicodeLabel } of tlds) {
    const item = template.content.cloneNode(true).firstElementChild;
    const tile = item.firstElementChild;
    tile.querySelector('.label').textContent = label;
    tile.querySelector('.suffix').textContent = `.${unicodeLabel}`;
    tile.dataset.domain = `${label}.${unicodeLabel}`;
    tiles.set(tld, item);
  }
  setTabStop(
    list.querySelector('[tabindex="0"]') ?? tiles.values().next().value?.firstElementChild,
  );
  sortTiles(order);
}

/** Marks the tiles of TLDs whose lookups have started. */
export function markPending(tlds) {
  for (const tld of tlds) fillTile({ tld, status: 'PENDING' });
}

/** Marks tiles as unanswered. */
export function markUnanswered(tlds) {
  for (const tld of tlds) fillTile({ tld, status: 'UNANSWERED' });
}

/** Shows a row in its tile. */
export function fillTile(row) {
  const item = tiles.get(row.tld);
  if (!item) return;
  const { word, note = '', text } = verdictOf(row);
  item.dataset.state = row.status;
  item.title = text;
  item.querySelector('.word').textContent = word;
  item.querySelector('.note').textContent = note;
  const tile = item.firstElementChild;
  // The parts of the name are blocks, between which a screen reader would pause.
  tile.ariaLabel = `${tile.dataset.domain}: ${word} ${note}`.trim();
}

/** Orders the tiles: as suggested by the gateway, by `name`, or `available` names first. */
export function sortTiles(by) {
  order = by;
  const items = [...tiles];
  if (by === 'name') items.sort(([a], [b]) => a.localeCompare(b));
  if (by === 'available') items.sort(([, a], [, b]) => isAvailable(b) - isAvailable(a));
  list.append(...items.map(([, item]) => item));
  showNoMatches();
}

/** Orders the tiles again after rows have arrived. */
export function tilesSettled() {
  if (order === 'available') sortTiles(order);
  showNoMatches();
}

/** Shows only available names, or all. */
export function filterTiles(onlyAvailable) {
  list.classList.toggle('only-available', onlyAvailable);
  showNoMatches();
}

/** Calls `onSelected` with the name of a tile that is clicked or activated by keyboard. */
export function onTileSelected(onSelected) {
  list.addEventListener('click', ({ target }) => {
    const tile = target.closest('button');
    if (tile) onSelected(tile.dataset.domain);
  });
}

/** Moves the focus to the grid. */
export function focusGrid() {
  (list.querySelector('[tabindex="0"]') ?? list.querySelector('button'))?.focus();
}

function isAvailable(item) {
  return item.dataset.state === 'AVAILABLE';
}

function showNoMatches() {
  const isFiltered = list.classList.contains('only-available');
  noMatches.hidden = !isFiltered || tiles.size === 0 || [...tiles.values()].some(isAvailable);
}

function setTabStop(tile) {
  list.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
  tile?.setAttribute('tabindex', '0');
}

const steps = {
  ArrowLeft: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  ArrowUp: (index, columns) => index - columns,
  ArrowDown: (index, columns) => index + columns,
  Home: () => 0,
  End: (_index, _columns, count) => count - 1,
};

list.addEventListener('focusin', ({ target }) => setTabStop(target));
list.addEventListener('keydown', (event) => {
  const step = steps[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
  const shown = [...list.children].filter((item) => item.offsetParent);
  const columns = shown.filter((item) => item.offsetTop === shown[0].offsetTop).length;
  const next = step(shown.indexOf(event.target.parentElement), columns, shown.length);
  event.preventDefault();
  if (shown[next]) shown[next].firstElementChild.focus();
  else if (next < 0) field.focus();
});
