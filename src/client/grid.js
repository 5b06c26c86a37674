// A grid: one tile of a fixed size per name, so that no tile moves while rows arrive. It is a single
// tab stop, within which the arrow keys move.
// The search page and <domain-search> have the same one.
import { mayBeRetried, phraseOf, verdictOf } from './verdicts.js';

const compare = new Intl.Collator().compare;

const orders = {
  name: (a, b) => compare(a.dataset.domain, b.dataset.domain),
  tld: (a, b) => compare(a.dataset.suffix, b.dataset.suffix),
  length: (a, b) => a.dataset.domain.length - b.dataset.domain.length,
  available: (a, b) => isAvailable(b) - isAvailable(a),
};
const noGroup = 'No group';

export class Grid {
  #list;
  #items = new Map();
  #order = 'suggested';
  #host;

  /**
   * `host` has the functions `newTile()`, which returns an empty list item, `onSelected(name)` for a
   * tile that is clicked, `onRetry(name)` for its "Try again", and optionally `dress(item, row)` for a
   * tile that is filled, `groupOf(name)`, `onChange()` when other tiles are shown, and `onLeave()` when
   * an arrow key leaves the first row.
   */
  constructor(list, host) {
    this.#list = list;
    this.#host = host;
    const { onSelected, onRetry } = host;
    list.addEventListener('click', ({ target }) => {
      const item = target.closest('li');
      if (target.closest('.tile')) onSelected(item.dataset.domain);
      if (target.closest('.again')) onRetry(this.#names.find(([, each]) => each === item)[0]);
    });
    list.addEventListener('focusin', ({ target }) => {
      if (target !== list) setTabStop(list, target.closest('li'));
    });
    list.addEventListener('keydown', (event) => move(list, event, host.onLeave));
  }

  /** The names whose tiles are shown, in their order. */
  get shownNames() {
    const names = new Map(this.#names.map(([name, item]) => [item, name]));
    return shownItems(this.#list).map((item) => names.get(item));
  }

  get #names() {
    return [...this.#items];
  }

  /** Removes all tiles. */
  clear() {
    this.#items.clear();
    this.#list.replaceChildren();
    this.#host.onChange?.();
  }

  /** Adds an empty tile for each name. */
  add(names) {
    for (const name of names) {
      const item = this.#host.newTile();
      this.#setName(item, `${name.label}.${name.suffix}`);
      this.#items.set(name, item);
    }
    setTabStop(this.#list, this.#list.querySelector('.stop') ?? this.#names[0]?.[1]);
    this.sort(this.#order);
  }

  /** Shows a row in the tile of a name. */
  fill(name, row) {
    const item = this.#items.get(name);
    if (!item) return;
    if (row.unicodeName && row.status !== 'INVALID') this.#setName(item, row.unicodeName);
    const tile = item.firstElementChild;
    const verdict = verdictOf(row);
    const { kind, word, note = '', text } = verdict;
    item.dataset.kind = kind;
    tile.title = [text, ...(row.cautions ?? []).map(({ detail }) => detail)].join(' ');
    item.querySelector('.word').textContent = word;
    item.querySelector('.note').textContent = note;
    this.#host.dress?.(item, row);
    item.querySelector('.again').hidden = !mayBeRetried(row);
    item.querySelector('.again').ariaLabel = `Try ${item.dataset.domain} again`;
    // The parts of the name are blocks, between which a screen reader would pause.
    tile.ariaLabel = `${item.dataset.domain}: ${phraseOf(verdict)}`;
  }

  /**
   * Orders the tiles: as `suggested`, or by `name`, `tld`, `length`, `group` of the shortlist, or
   * `available` names first.
   */
  sort(order) {
    this.#order = order;
    const items = [...this.#items.values()];
    const focused = this.#list.getRootNode().activeElement;
    const sorted = orders[order] ? items.toSorted(orders[order]) : items;
    this.#list.replaceChildren(
      ...(order === 'group' ? inGroups(items, this.#host.groupOf) : sorted),
    );
    if (this.#list.contains(focused)) focused.focus({ preventScroll: true });
    this.#host.onChange?.();
  }

  /** Orders the tiles again after rows have arrived, or groups have changed. */
  settle() {
    if (/^(?:available|group)$/.test(this.#order)) this.sort(this.#order);
    this.#host.onChange?.();
  }

  /** Shows only available names, or all. */
  filter(onlyAvailable) {
    this.#list.classList.toggle('only-available', onlyAvailable);
    this.#host.onChange?.();
  }

  /** Whether there are tiles, but none is shown. */
  get hidesAll() {
    const items = [...this.#items.values()];
    return (
      items.length > 0 &&
      this.#list.classList.contains('only-available') &&
      !items.some(isAvailable)
    );
  }

  #setName(item, name) {
    setName(item, name);
    this.#host.dress?.(item);
  }

  focus() {
    this.#list.querySelector('.stop .tile')?.focus();
  }
}

function isAvailable(item) {
  return /^(?:available|likely)$/.test(item.dataset.kind);
}

/** Puts a heading before the tiles of each group. Those without a group are the last. */
function inGroups(items, groupOf) {
  const groups = Map.groupBy(items, ({ dataset }) => groupOf(dataset.domain) ?? noGroup);
  if (groups.size === 1 && groups.has(noGroup)) return items;
  const order = ([a], [b]) => (a === noGroup) - (b === noGroup) || compare(a, b);
  return [...groups].toSorted(order).flatMap(([group, members]) => {
    const item = document.createElement('li');
    const heading = document.createElement('h2');
    item.className = 'group';
    heading.textContent = group;
    item.append(heading);
    return [item, ...members];
  });
}

function setName(item, name) {
  const [label, ...suffix] = name.split('.');
  item.dataset.domain = name;
  item.dataset.suffix = suffix.join('.');
  item.querySelector('.label').textContent = label;
  item.querySelector('.suffix').textContent = `.${item.dataset.suffix}`;
}

/** Makes a tile, with its other buttons, the one that the Tab key reaches. */
function setTabStop(list, item) {
  const last = list.querySelector('.stop');
  if (last === item) return;
  for (const [each, isStop] of [
    [last, false],
    [item, true],
  ]) {
    each?.classList.toggle('stop', isStop);
    for (const button of each?.querySelectorAll('button') ?? []) button.tabIndex = isStop ? 0 : -1;
  }
}

const shownItems = (list) =>
  [...list.children].filter((item) => item.offsetParent && item.dataset.domain);

const steps = {
  ArrowLeft: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  ArrowUp: (index, columns) => index - columns,
  ArrowDown: (index, columns) => index + columns,
  Home: () => 0,
  End: (_index, _columns, count) => count - 1,
};

/** Returns the place to which a key moves from a place in a grid; undefined for other keys. */
export function placeAfter({ key, altKey, ctrlKey, metaKey }, place, columns, count) {
  return altKey || ctrlKey || metaKey ? undefined : steps[key]?.(place, columns, count);
}

function move(list, event, onLeave) {
  const shown = shownItems(list);
  const columns = shown.filter((item) => item.offsetTop === shown[0].offsetTop).length;
  const place = shown.indexOf(event.target.closest('li'));
  const next = placeAfter(event, place, columns, shown.length);
  if (next === undefined) return;
  event.preventDefault();
  if (shown[next]) shown[next].firstElementChild.focus();
  else if (next < 0) onLeave?.();
}

/** Makes a style sheet, except where a page is rendered on a server, which has none. */
export function sheetOf(css) {
  if (!globalThis.CSSStyleSheet) return undefined;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

/** The style of the tiles. Custom properties change its colors and sizes. */
export const tileStyle = sheetOf(`
  :root,
  :host {
    --available: light-dark(#0a7a43, #4fd889);
    --available-card: light-dark(#eef9f2, #10231a);
    --available-line: light-dark(#b5e2c8, #1f4e35);
    --reserved: light-dark(#6a3ec2, #b9a1ff);
    --unknown: light-dark(#8f5200, #f0b45c);
  }

  /* Kinds of verdicts have a word as well as a color. */
  [data-kind] {
    --tone: var(--quiet);
  }

  :is([data-kind='available'], [data-kind='likely']) {
    --tone: var(--available);
  }

  [data-kind='reserved'] {
    --tone: var(--reserved);
  }

  :is([data-kind='unproven'], [data-kind='failed'], [data-kind='invalid']) {
    --tone: var(--unknown);
  }

  .grid {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(14.5rem, 100%), 1fr));
    gap: var(--tile-gap, 0.6rem);
    margin: 0;
    padding: 0;
    outline: 0;
    list-style: none;
  }

  /* Tiles outside the window are not laid out. Focus rings must not exceed their tile, which clips them. */
  .grid li {
    position: relative;
    display: flex;
    flex-wrap: wrap;
    min-width: 0;
    min-height: var(--tile-height, 4rem);
    border: 1px solid var(--line);
    border-radius: 0.7rem;
    content-visibility: auto;
    contain-intrinsic-size: auto var(--tile-height, 4rem);
  }

  .grid li:hover {
    border-color: var(--quiet);
  }

  .grid button {
    border: 0;
    border-radius: 0.65rem;
    background: none;
    color: inherit;
    filter: none;
  }

  .grid button:focus-visible {
    outline-offset: -3px;
  }

  .tile {
    flex: 1;
    display: flex;
    flex-direction: column;
    justify-content: center;
    min-width: 0;
    min-height: calc(var(--tile-height, 4rem) - 2px);
    padding: 1px 0 1px 0.95rem;
    font: inherit;
    font-weight: 400;
    line-height: 1.25;
    text-align: start;
    cursor: pointer;
  }

  .name {
    display: flex;
    font-size: 1rem;
  }

  .name > * {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: pre;
  }

  .label {
    flex: 0 1 auto;
  }

  .suffix {
    flex: 0 0 auto;
    max-width: 78%;
    font-weight: 650;
  }

  /* A note that does not fit beside the verdict is below it; two lines fit in a tile. */
  .status {
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.35em;
    color: var(--tone);
    font-size: 0.875rem;
    line-height: 1.25rem;
    overflow-wrap: anywhere;
  }

  /* What to check before a name is registered. */
  :is([data-kind='available'], [data-kind='likely']) .note:not(:empty) {
    padding: 0 0.6em;
    border-radius: 0.6rem;
    background: color-mix(in srgb, var(--unknown) 13%, transparent);
    color: var(--unknown);
    font-size: 0.8125rem;
    line-height: 1.2rem;
  }

  :not([data-kind='available'], [data-kind='likely']) > .tile .note:not(:empty)::before {
    content: '· ';
  }

  .grid li[data-kind='available'] {
    border-color: var(--available-line);
    background: var(--available-card);
  }

  [data-kind='available'] .word {
    font-weight: 650;
  }

  /* Likely, but not proved. */
  .grid li[data-kind='likely'] {
    border: 1px dashed var(--available);
  }

  .grid :is([data-kind='taken'], [data-kind='no-tld'], [data-kind='reserved']) .name {
    color: var(--quiet);
  }

  .grid [data-kind='no-tld'] .suffix {
    text-decoration: line-through;
  }

  .grid :is([data-kind='unproven'], [data-kind='failed']) {
    border-style: dashed;
  }
`);
