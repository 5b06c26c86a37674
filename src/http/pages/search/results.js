// The results of one search: the headline, the grid and the summary.
import * as grid from './grid.js';
import { fillHeadline, showHeadline } from './headline.js';
import { toAscii } from './input.js';
import { Lookups } from './lookups.js';
import { clearSummary, showCredits, showSummary } from './summary.js';

const more = document.querySelector('#more');
const tools = document.querySelector('#tools');
/** The search that is shown. */
let shown;

/** Removes the results of the last search, and ends it. */
export function clearResults() {
  shown?.abort();
  shown = undefined;
  grid.clearTiles();
  showHeadline();
  clearSummary();
  more.hidden = tools.hidden = true;
}

/** The results of a label under the TLDs of a set; `suffix` belongs to a full name. */
export class Results {
  #label;
  #headlineTld;
  #lookups;
  #loadMore;
  #onError;

  /**
   * Shows the tiles and starts the lookups. `onSettled(haveAllFailed)` is called when all are done,
   * `onError` if they cannot continue.
   */
  constructor({ label, suffix }, set, { onSettled, onError }) {
    clearResults();
    shown = this;
    tools.hidden = false;
    this.#label = label;
    this.#headlineTld = suffix && toAscii(suffix);
    this.#onError = onError;
    const showCounts = () => this.#isShown && showSummary(this.#lookups);
    this.#lookups = new Lookups(label, {
      onStarted: (tlds) => this.#fill(tlds.map((tld) => ({ tld, status: 'PENDING' }))),
      onRow: (row) => this.#fill([row]),
      onChange: oncePerFrame(showCounts),
      onSettled: () => {
        this.#settle();
        onSettled(this.#lookups.haveAllFailed);
      },
      onError: (error) => this.#fail(error),
    });
    if (suffix) {
      showHeadline(`${label}.${suffix}`);
      this.#lookups.add([this.#headlineTld]);
    }
    this.#add(set);
  }

  /** The names without a result, and all names. */
  get progress() {
    return { missing: this.#lookups.missing.length, total: this.#lookups.total };
  }

  /** Loads and looks up more TLDs of the set. */
  async showMore() {
    more.disabled = true;
    try {
      const set = await this.#loadMore();
      if (this.#isShown) this.#add(set);
    } catch (error) {
      if (this.#isShown) this.#fail(error);
    }
    more.disabled = false;
  }

  /** Looks up the names without an answer. */
  retry() {
    this.#lookups.retry();
  }

  abort() {
    this.#lookups.abort();
  }

  get #isShown() {
    return shown === this;
  }

  /** Adds TLDs, except the one that the headline shows. */
  #add({ tlds, next }) {
    const others = tlds.filter(({ label }) => label !== this.#headlineTld);
    grid.addTiles(this.#label, others);
    this.#lookups.add(others.map(({ label }) => label));
    this.#loadMore = next;
    more.hidden = !next;
  }

  #fill(rows) {
    for (const row of rows) {
      if (row.tld === this.#headlineTld) fillHeadline(row);
      else grid.fillTile(row);
    }
  }

  #settle() {
    this.#fill(this.#lookups.missing.map((tld) => ({ tld, status: 'UNANSWERED' })));
    grid.tilesSettled();
    showSummary(this.#lookups);
    void showCredits();
  }

  #fail(error) {
    this.#settle();
    this.#onError(error);
  }
}

/** Returns a function that runs a task at most once per frame. */
function oncePerFrame(task) {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      task();
    });
  };
}
