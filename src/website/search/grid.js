// A grid: one tile of a fixed size per name, so that no tile moves while rows arrive. It is a single
// tab stop, within which the arrow keys move.
import { notesOf, setStarred } from './shortlist.js';
import { mayBeRetried, phraseOf, verdictOf } from './verdicts.js';
import { setWatch } from './watches.js';

const template = document.querySelector('#tile');
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
  #onChange;

  /**
   * `callbacks`: `onSelected(name)` for a tile that is clicked, `onRetry(name)` for its "Try again",
   * both with the name as it is shown, and `onChange()` when other tiles are shown.
   */
  constructor(list, { onSelected, onRetry, onChange = () => undefined }) {
    this.#list = list;
    this.#onChange = onChange;
    list.addEventListener('click', ({ target }) => {
      const item = target.closest('li');
      if (target.closest('.tile')) onSelected(item.dataset.domain);
      if (target.closest('.again')) onRetry(this.#names.find(([, each]) => each === item)[0]);
    });
    list.addEventListener('focusin', ({ target }) => {
      if (target !== list) setTabStop(list, target.closest('li'));
    });
    list.addEventListener('keydown', (event) => move(list, event));
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
    this.#onChange();
  }

  /** Adds an empty tile for each name. */
  add(names) {
    for (const name of names) {
      const item = template.content.cloneNode(true).firstElementChild;
      setName(item, `${name.label}.${name.suffix}`);
      this.#items.set(name, item);
    }
    setTabStop(this.#list, this.#list.querySelector('.stop') ?? this.#names[0]?.[1]);
    this.sort(this.#order);
  }

  /** Shows a row in the tile of a name. */
  fill(name, row) {
    const item = this.#items.get(name);
    if (!item) return;
    if (row.unicodeName && row.status !== 'INVALID') setName(item, row.unicodeName);
    const tile = item.firstElementChild;
    const verdict = verdictOf(row);
    const { kind, word, note = '', text } = verdict;
    item.dataset.kind = kind;
    tile.title = [text, ...(row.cautions ?? []).map(({ detail }) => detail)].join(' ');
    item.querySelector('.word').textContent = word;
    item.querySelector('.note').textContent = note;
    setWatch(item.querySelector('.watch'), item.dataset.domain, row);
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
    const focused = document.activeElement;
    const sorted = orders[order] ? items.toSorted(orders[order]) : items;
    this.#list.replaceChildren(...(order === 'group' ? inGroups(items) : sorted));
    if (this.#list.contains(focused)) focused.focus({ preventScroll: true });
    this.#onChange();
  }

  /** Orders the tiles again after rows have arrived, or groups have changed. */
  settle() {
    if (/^(?:available|group)$/.test(this.#order)) this.sort(this.#order);
    this.#onChange();
  }

  /** Shows only available names, or all. */
  filter(onlyAvailable) {
    this.#list.classList.toggle('only-available', onlyAvailable);
    this.#onChange();
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

  focus() {
    this.#list.querySelector('.stop .tile')?.focus();
  }
}

function isAvailable(item) {
  return /^(?:available|likely)$/.test(item.dataset.kind);
}

/** Puts a heading before the tiles of each group. Those without a group are the last. */
function inGroups(items) {
  const groups = Map.groupBy(items, ({ dataset }) => notesOf(dataset.domain).group ?? noGroup);
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
  setStarred(item.querySelector('.star'), name);
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

function move(list, event) {
  const shown = shownItems(list);
  const columns = shown.filter((item) => item.offsetTop === shown[0].offsetTop).length;
  const place = shown.indexOf(event.target.closest('li'));
  const next = placeAfter(event, place, columns, shown.length);
  if (next === undefined) return;
  event.preventDefault();
  if (shown[next]) shown[next].firstElementChild.focus();
  else if (next < 0) document.querySelector('#label').focus();
}
