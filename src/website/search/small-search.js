// The grids of the page, and a search with a grid alone, such as that of similar names.
import { Grid, tileStyle } from './grid.js';
import { Lookups } from './lookups.js';
import { notesOf, setStarred } from './shortlist.js';
import { setWatch } from './watches.js';

const template = document.querySelector('#tile');
document.adoptedStyleSheets.push(tileStyle);

/** Returns a grid in a list, whose tiles have stars, with notes, and bells. `callbacks` are those of `Grid`. */
export function tileGrid(list, callbacks) {
  return new Grid(list, {
    ...callbacks,
    newTile: () => template.content.cloneNode(true).firstElementChild,
    dress(item, row) {
      setStarred(item.querySelector('.star'), item.dataset.domain);
      if (row) setWatch(item.querySelector('.watch'), item.dataset.domain, row);
    },
    groupOf: (name) => notesOf(name).group,
    onLeave: () => document.querySelector('#label').focus(),
  });
}

export class SmallSearch {
  #grid;
  #lookups;
  #onError;

  /** `onSelected(name)` is called for a tile that is clicked, `onError(error)` if lookups fail. */
  constructor(list, { onSelected, onError }) {
    this.#grid = tileGrid(list, { onSelected, onRetry: (name) => this.#lookups.retry(name) });
    this.#onError = onError;
  }

  get isEmpty() {
    return this.#lookups === undefined;
  }

  clear() {
    this.#lookups?.abort();
    this.#lookups = undefined;
    this.#grid.clear();
  }

  /** Shows names that will be looked up. */
  place(names) {
    this.clear();
    this.#grid.add(names);
    for (const name of names) this.#grid.fill(name, { status: 'PENDING' });
  }

  /** Shows names, and looks them up. */
  show(names) {
    this.place(names);
    const fill = (some, row) => some.forEach((name) => this.#grid.fill(name, row));
    const lookups = new Lookups({
      onStarted: (started) => fill(started, { status: 'PENDING' }),
      onRow: (name, row) => fill([name], row),
      onChange: () => undefined,
      onSettled: () => fill(lookups.missing, { status: 'UNANSWERED' }),
      onError: (error) => {
        fill(lookups.missing, { status: 'UNANSWERED' });
        this.#onError(error);
      },
    });
    this.#lookups = lookups;
    lookups.add(names);
  }
}
