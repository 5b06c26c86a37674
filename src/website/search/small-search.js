// A search with a grid alone, such as that of similar names.
import { Grid } from './grid.js';
import { Lookups } from './lookups.js';

export class SmallSearch {
  #grid;
  #lookups;
  #onError;

  /** `onSelected(name)` is called for a tile that is clicked, `onError(error)` if lookups fail. */
  constructor(list, { onSelected, onError }) {
    this.#grid = new Grid(list, { onSelected, onRetry: (name) => this.#lookups.retry(name) });
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
