// The results of one search: the headline, the grid and the summary.
import { copyText, csvOf, saveFile } from './export.js';
import { Grid } from './grid.js';
import { fillHeadline, onHeadlineAction, showHeadline } from './headline.js';
import { Lookups } from './lookups.js';
import { onShortlistChanged } from './shortlist.js';
import { clearSummary, showCredits, showSummary } from './summary.js';

const more = document.querySelector('#more');
const tools = document.querySelector('#tools');
const loaded = document.querySelector('#loaded');
const noMatches = document.querySelector('#no-matches');
/** The search that is shown. */
let shown;
let onSelected = () => undefined;

export const grid = new Grid(document.querySelector('#grid'), {
  onSelected: (domain) => onSelected(domain),
  onRetry: (name) => shown?.retry(name),
  onChange: () => (noMatches.hidden = !grid.hidesAll),
});
onHeadlineAction({
  onSelected: (domain) => onSelected(domain),
  onRetry: () => shown?.retryHeadline(),
});

/** Calls a function with a name when its details are requested. */
export function onNameSelected(callback) {
  onSelected = callback;
}

/** Removes the results of the last search, and ends it. */
export function clearResults() {
  shown?.abort();
  shown = undefined;
  grid.clear();
  showHeadline();
  clearSummary();
  more.hidden = tools.hidden = true;
}

/** The results of a search. */
export class Results {
  #headline;
  #lookups;
  #loadMore;
  #onError;

  /**
   * Shows the tiles and starts the lookups. `headline` is the name above the grid, if there is one;
   * `extent` is how much of the search is loaded; `loadMore` loads more names. `onSettled(haveAllFailed)` is called when all are done, `onError`
   * if they cannot continue.
   */
  constructor({ headline, ...page }, { onSettled, onError }) {
    clearResults();
    shown = this;
    tools.hidden = false;
    this.#headline = headline;
    this.#onError = onError;
    const showCounts = () => this.#isShown && showSummary(this.#lookups);
    this.#lookups = new Lookups({
      onStarted: (started) => this.#fill(started, { status: 'PENDING' }),
      onRow: (name, row) => this.#fill([name], row),
      onChange: oncePerFrame(showCounts),
      onSettled: () => {
        this.#settle();
        onSettled(this.#lookups.haveAllFailed);
      },
      onError: (error) => this.#fail(error),
    });
    if (headline) {
      showHeadline(`${headline.label}.${headline.suffix}`);
      this.#lookups.add([headline]);
    }
    this.#add(page);
  }

  /** The names without a result, and all names. */
  get progress() {
    return { missing: this.#lookups.missing.length, total: this.#lookups.total };
  }

  /** Whether all names have a row. */
  get isComplete() {
    return this.#lookups.missing.length === 0;
  }

  /** Loads and looks up more names. */
  async showMore() {
    more.disabled = true;
    try {
      const page = await this.#loadMore();
      if (this.#isShown) this.#add(page);
    } catch (error) {
      if (this.#isShown) this.#fail(error);
    }
    more.disabled = false;
  }

  /** Looks up a name again, or all names without an answer. */
  retry(name) {
    this.#lookups.retry(name);
  }

  retryHeadline() {
    this.retry(this.#headline);
  }

  /** Returns the rows of the names that are shown, in their order. */
  get rows() {
    const names = [...(this.#headline ? [this.#headline] : []), ...grid.shownNames];
    return names.map((name) => this.#lookups.row(name)).filter(Boolean);
  }

  abort() {
    this.#lookups.abort();
  }

  get #isShown() {
    return shown === this;
  }

  /** Adds names, except the one that the headline shows. */
  #add({ names, extent, loadMore }) {
    const others = names.filter(({ domain }) => domain !== this.#headline?.domain);
    grid.add(others);
    this.#lookups.add(others);
    this.#loadMore = loadMore;
    more.hidden = !loadMore;
    loaded.textContent = textOf(extent);
  }

  #fill(names, row) {
    for (const name of names) {
      if (name === this.#headline) fillHeadline(row);
      else grid.fill(name, row);
    }
  }

  #settle() {
    this.#fill(this.#lookups.missing, { status: 'UNANSWERED' });
    grid.settle();
    showSummary(this.#lookups);
    void showCredits();
  }

  #fail(error) {
    this.#settle();
    this.#onError(error);
  }
}

/** Says how much is loaded, which is what can be saved. */
function textOf({ count, total, unit }) {
  if (total === 0) return '';
  const [some, all] = [count, total].map((each) => each.toLocaleString());
  return `${some} of ${all} ${total === 1 ? `${unit} is` : `${unit}s are`} loaded`;
}

onShortlistChanged(() => grid.settle());
more.addEventListener('click', () => void shown?.showMore());
tools.querySelector('.copy').addEventListener('click', ({ target }) => {
  void copyText(target, shown.rows.map(({ unicodeName }) => unicodeName).join('\n'));
});
tools.querySelector('.csv').addEventListener('click', () => {
  saveFile('domains.csv', csvOf(shown.rows));
});

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
