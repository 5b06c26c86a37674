// The grid: one tile per TLD, in a fixed order, so that no tile moves while rows arrive.
import { shortText } from './verdict-texts.js';

const list = document.querySelector('#grid');
const template = document.querySelector('#tile');
const tiles = new Map();

/** Replaces the grid with an empty tile per TLD. */
export function drawTiles(label, tlds) {
  tiles.clear();
  for (const tld of tlds) {
    const item = template.content.cloneNode(true);
    const tile = item.querySelector('button');
    tile.querySelector('.label').textContent = label;
    tile.querySelector('.suffix').textContent = `.${tld}`;
    tile.disabled = label === '';
    tile.dataset.domain = `${label}.${tld}`;
    tiles.set(tld, tile);
  }
  list.replaceChildren(...Array.from(tiles.values(), (tile) => tile.parentElement));
}

export function tileOf(tld) {
  return tiles.get(tld);
}

/** Marks the tiles of TLDs whose lookups have started. */
export function markPending(tlds) {
  for (const tld of tlds) setTile(tld, { state: 'PENDING', text: 'Looking up…' });
}

/** Marks the tiles that are still pending as unanswered. */
export function markUnanswered(tlds) {
  for (const tld of tlds)
    if (tileOf(tld)?.dataset.state === 'PENDING')
      setTile(tld, { state: 'UNANSWERED', text: 'No response' });
}

/** Shows a row in its tile. */
export function fillTile(row) {
  setTile(row.tld, {
    state: row.status,
    text: shortText(row),
    time: row.cached ? 'cached' : `${Math.round(row.latencyMs)} ms`,
  });
}

function setTile(tld, { state, text, time = '' }) {
  const tile = tileOf(tld);
  if (!tile) return;
  tile.dataset.state = state;
  tile.querySelector('.status').textContent = text;
  tile.querySelector('.time').textContent = time;
}

/** Calls `onSelected` with the domain name of a tile that is clicked or activated by keyboard. */
export function onTileSelected(onSelected) {
  list.addEventListener('click', ({ target }) => {
    const tile = target.closest('button');
    if (tile) onSelected(tile.dataset.domain);
  });
}

const steps = {
  ArrowLeft: () => -1,
  ArrowRight: () => 1,
  ArrowUp: (columns) => -columns,
  ArrowDown: (columns) => columns,
};

list.addEventListener('keydown', (event) => {
  const step = steps[event.key];
  if (!step) return;
  const all = Array.from(tiles.values());
  const columns = all.filter((tile) => tile.offsetTop === all[0].offsetTop).length;
  const next = all[all.indexOf(document.activeElement) + step(columns)];
  event.preventDefault();
  if (next) next.focus();
  else if (event.key === 'ArrowUp') document.querySelector('#label').focus();
});
