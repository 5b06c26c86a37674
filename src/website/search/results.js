// The results of one search: the headline, the grid and the summary.
import { copyText, csvOf, saveFile } from './export.js';
import { fillHeadline, onHeadlineAction, showHeadline } from './headline.js';
import { Lookups } from './lookups.js';
import { onShortlistChanged } from './shortlist.js';
import { tileGrid } from './small-search.js';
import { clearSummary, creditsLeft, showCredits, showSummary } from './summary.js';

const more = document.querySelector('#more');
const tools = document.querySelector('#tools');
const loaded = document.querySelector('#loaded');
const noMatches = document.querySelector('#no-matches');
const matrixBox = document.querySelector('#matrix');
/** What belongs to the tiles. */
const tileParts = document.querySelectorAll('#grid, .sort, .filter');
/** What a hundred TLDs cost for each label. */
const creditsPerHundred = Number(document.body.dataset.creditsPerHundred);
let isEndInView = false;
/** The matrix is loaded when it is first needed. */
let matrix;
/** The search that is shown. */
let shown;
let onSelected = () => undefined;

export const grid = tileGrid(document.querySelector('#grid'), {
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
  showView(false);
}

/** Moves the focus into the results. */
export function focusResults() {
  if (matrixBox.hidden) grid.focus();
  else matrix.focus();
}

/** The results of a search. */
export class Results {
  #headline;
  #lookups;
  #loadMore;
  #extent;
  #onError;
  /** The names that are searched, and those that only the matrix shows. */
  #names = [];
  #others = [];
  #isCompared = false;
  /** Whether the end of the tiles came into view since more were loaded. */
  #isEndReached = false;
  #isLoading = false;
  #hasFailed = false;

  /**
   * Shows the tiles and starts the lookups. `headline` is the name above the grid, if there is one;
   * `extent` is how much of the search is loaded; `loadMore` loads more names.
   * `onSettled(haveAllFailed)` is called when all are done, `onError` if they cannot continue.
   */
  constructor({ headline, ...page }, { onSettled, onError }) {
    clearResults();
    shown = this;
    tools.hidden = false;
    this.#headline = headline;
    this.#onError = onError;
    this.#lookups = new Lookups({
      onStarted: (started) => this.#fill(started, { status: 'PENDING' }),
      onRow: (name, row) => this.#fill([name], row),
      onChange: oncePerFrame(() => this.#isShown && this.#showCounts()),
      onSettled: () => {
        this.#settle();
        onSettled(this.#lookups.haveAllFailed);
      },
      onError: (error) => this.#fail(error),
    });

    if (headline) {
      showHeadline(`${headline.label}.${headline.suffix}`);
      this.#names.push(headline);
      this.#lookups.add([headline]);
    }

    this.#add(page);
  }

  /** The names without a result, and all names. */
  get progress() {
    const { missing, total } = this.#result;
    return { missing: missing.length, total };
  }

  /** Whether all names have a row. */
  get isComplete() {
    return this.#result.missing.length === 0;
  }

  /** Loads and looks up more names. */
  async showMore() {
    if (this.#isLoading) return;

    this.#isLoading = true;
    try {
      const page = await this.#loadMore();
      this.#isEndReached = false;
      if (this.#isShown) this.#add(page);
    } catch (error) {
      if (this.#isShown) this.#fail(error);
    }

    this.#isLoading = false;
  }

  /** Loads more names when the end of the tiles has come into view, as soon as the others are done. */
  reachEnd() {
    this.#isEndReached = true;
    this.#continue();
  }

  #continue() {
    const isWanted = this.#isEndReached && isEndInView && !this.#isCompared && this.#isShown;
    // What fails is not repeated by scrolling, and a key keeps what is too little for a block.
    const isPossible = this.isComplete && !this.#hasFailed && this.#canPay();
    if (isWanted && isPossible) void this.showMore();
  }

  /** Whether the credits that are left, if the caller has a limit, are enough for more names. */
  #canPay() {
    const labels = new Set(this.#names.map(({ search }) => search)).size;
    return creditsLeft() >= labels * creditsPerHundred;
  }

  /** Shows the names as a matrix, in which each label has all TLDs, or as tiles. */
  async compare(isCompared) {
    this.#isCompared = isCompared;
    if (isCompared) matrix ??= await loadMatrix();
    if (!this.#isShown || this.#isCompared !== isCompared) return;
    showView(isCompared);
    this.#cross();
    this.#showCounts();
  }

  /** Looks up a name again, or all names without an answer. */
  retry(name) {
    this.#hasFailed = false;
    this.#lookups.retry(name);
    this.#continue();
  }

  retryHeadline() {
    this.retry(this.#headline);
  }

  /** Returns the rows of the names that are shown, in their order. */
  get rows() {
    const { shownNames } = this.#isCompared ? matrix : grid;
    const names = [...(this.#headline ? [this.#headline] : []), ...shownNames];
    return names.map((name) => this.#lookups.row(name)).filter(Boolean);
  }

  abort() {
    this.#lookups.abort();
  }

  get #isShown() {
    return shown === this;
  }

  get #result() {
    return this.#lookups.resultOf([...this.#names, ...(this.#isCompared ? this.#others : [])]);
  }

  /** Adds names, except the one that the headline shows. */
  #add({ names, extent, loadMore }) {
    const others = names.filter(({ domain }) => domain !== this.#headline?.domain);
    this.#names.push(...others);
    grid.add(others);
    this.#lookups.add(others);
    this.#loadMore = loadMore;
    this.#extent = extent;
    more.hidden = !loadMore;
    more.textContent = `Show more TLDs (${(extent.total - extent.count).toLocaleString()} left)`;
    this.#cross();
    this.#showCounts();
  }

  /** Fills the matrix. What it lacks is looked up after the rest, without labels that are invalid. */
  #cross() {
    if (!this.#isCompared || !matrix) return;

    const rowOf = (name) => this.#lookups.row(name);
    const isValid = (name) => rowOf(name)?.status !== 'INVALID';
    const missing = this.isComplete
      ? matrix.missingIn([...this.#names, ...this.#others], isValid)
      : [];
    this.#others.push(...missing);
    matrix.show([...this.#names, ...this.#others], rowOf);
    if (missing.length > 0) this.#lookups.add(missing);
  }

  #fill(names, row) {
    for (const name of names) {
      if (name === this.#headline) fillHeadline(row);
      else grid.fill(name, row);
      matrix?.fill(name, row);
    }
  }

  #showCounts() {
    const result = this.#result;
    const { total } = result;
    showSummary(result);
    const isCrossed = this.#isCompared && this.#others.length > 0;
    loaded.textContent = textOf(isCrossed ? { count: total, total, unit: 'name' } : this.#extent);
  }

  #settle() {
    this.#fill(this.#result.missing, { status: 'UNANSWERED' });
    grid.settle();
    this.#cross();
    this.#showCounts();
    void showCredits().then(() => this.#continue());
  }

  #fail(error) {
    this.#hasFailed = true;
    this.#settle();
    this.#onError(error);
  }
}

async function loadMatrix() {
  const { Matrix } = await import('./matrix.js');
  return new Matrix(matrixBox, (domain) => onSelected(domain));
}

/** Shows the matrix instead of the tiles, or the reverse. */
function showView(isCompared) {
  matrixBox.hidden = !isCompared;
  for (const part of tileParts) part.hidden = isCompared;
}

/** Says how much is loaded, which is what can be saved. */
function textOf({ count, total, unit }) {
  if (total === 0) return '';
  const [some, all] = [count, total].map((each) => each.toLocaleString());
  return `${some} of ${all} ${total === 1 ? `${unit} is` : `${unit}s are`} loaded`;
}

new IntersectionObserver((entries) => {
  isEndInView = entries.at(-1).isIntersecting;
  if (isEndInView) shown?.reachEnd();
}).observe(more);
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
