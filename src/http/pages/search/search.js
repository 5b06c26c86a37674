// The search box: looks up a label under the visible TLDs and shows each row when it arrives.
import { subscribe } from './gateway.js';
import {
  drawTiles,
  fillTile,
  markPending,
  markUnanswered,
  onTileSelected,
  tileOf,
} from './grid.js';
import { clearNotice, onRetry, showError, showUnreachable } from './notice.js';
import { openRecord } from './record.js';
import { sets } from './tlds.js';

const query = `subscription Search($name: String!, $tlds: [String!]!) {
  availability(name: $name, tlds: $tlds) { tld status reason cached latencyMs }
}`;
const batchSize = 40;
const debounceMs = 200;
const noCounts = { requested: 0, answered: 0, available: 0 };

const form = document.querySelector('#search');
const field = document.querySelector('#label');
const grid = document.querySelector('#grid');
const summary = document.querySelector('#summary');
const progress = document.querySelector('#progress');

let current = new AbortController();
let debounceTimer;

/**
 * Returns the label and the TLDs to search. For `shop.co.uk`, these are the label `shop` and the
 * usual TLDs, preceded by `co.uk`. Superfluous dots are ignored.
 */
function readField() {
  const input = field.value.trim().toLowerCase();
  const tlds = sets[form.elements.set.value];
  // The gateway rejects these labels. Here, the URL parser in `asciiOf` would accept parts of them,
  // and the gateway would expand a suffix such as `@popular` to a set of TLDs.
  if (/[@:/\\?#%]/.test(input)) return { label: input, tlds };
  const [label = '', ...suffix] = input.split(/[.。．｡]/).filter(Boolean);
  return {
    label,
    tlds: suffix.length > 0 ? [...new Set([asciiOf(suffix.join('.')), ...tlds])] : tlds,
  };
}

/** Converts a suffix to A-labels, as in the gateway's rows, with the browser's URL parser. */
function asciiOf(suffix) {
  return URL.parse(`http://x.${suffix}`)?.hostname.slice(2) ?? suffix;
}

/** Aborts the current search. The gateway then cancels its lookups that have not been sent. */
function cancelSearch() {
  clearTimeout(debounceTimer);
  current.abort();
  clearNotice();
}

function startSearch() {
  cancelSearch();
  current = new AbortController();
  const { label, tlds } = readField();
  saveToUrl({ q: field.value.trim(), set: form.elements.set.value });
  drawTiles(label, tlds);
  showCounts(noCounts);
  if (label) queryVisible(label, tlds, { ...noCounts }, current.signal);
}

/** Stores the search in the URL, so that it can be shared and restored. */
function saveToUrl({ q, set }) {
  const search = new URLSearchParams({ ...(q && { q }), ...(set === 'test' && { set }) });
  history.replaceState(null, '', search.size > 0 ? `?${search}` : location.pathname);
}

/** Queries the first batch immediately, and every other when one of its tiles scrolls into view. */
function queryVisible(label, tlds, counts, signal) {
  const pendingBatches = new Map();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target } of entries.filter(({ isIntersecting }) => isIntersecting))
        queryBatchOf(target);
    },
    { rootMargin: '100px' },
  );
  signal.addEventListener('abort', () => observer.disconnect());

  function queryBatchOf(tile) {
    const batch = pendingBatches.get(tile);
    if (!batch) return;
    for (const each of batch.map(tileOf)) {
      pendingBatches.delete(each);
      observer.unobserve(each);
    }
    void queryBatch(label, batch, counts, signal);
  }

  for (let at = 0; at < tlds.length; at += batchSize) {
    const batch = tlds.slice(at, at + batchSize);
    for (const tile of batch.map(tileOf)) {
      pendingBatches.set(tile, batch);
      observer.observe(tile);
    }
  }
  queryBatchOf(tileOf(tlds[0]));
}

async function queryBatch(label, tlds, counts, signal) {
  markPending(tlds);
  counts.requested += tlds.length;
  showCounts(counts);
  let answered = 0;
  let failed = 0;
  try {
    for await (const { data } of subscribe(query, { name: label, tlds }, signal)) {
      fillTile(data.availability);
      answered += 1;
      counts.answered += 1;
      if (data.availability.status === 'AVAILABLE') counts.available += 1;
      if (data.availability.reason?.startsWith('registry_')) failed += 1;
      showCounts(counts);
    }
    // Two spellings of one name share a single row, so one of their tiles may get none.
    markUnanswered(tlds);
    counts.requested -= tlds.length - answered;
    showCounts(counts);
    if (failed === tlds.length && form.elements.set.value !== 'test') showUnreachable();
  } catch (error) {
    if (!signal.aborted) failSearch(error);
  }
}

/** Aborts all requests of the search when one fails: the others would fail for the same reason. */
function failSearch(error) {
  current.abort();
  if (error.code === 'invalid_name') drawTiles('', readField().tlds);
  markUnanswered(readField().tlds);
  showCounts(noCounts);
  showError(error);
}

function showCounts({ requested, answered, available }) {
  const busy = answered < requested;
  grid.ariaBusy = summary.ariaBusy = String(busy);
  progress.max = requested || 1;
  progress.value = answered;
  summary.textContent =
    requested === 0
      ? ''
      : `${busy ? `${answered} of ${requested}` : requested} checked, ${available} available`;
}

field.addEventListener('input', () => {
  cancelSearch();
  debounceTimer = setTimeout(startSearch, debounceMs);
});
field.addEventListener('keydown', (event) => {
  if (event.key !== 'ArrowDown') return;
  event.preventDefault();
  grid.querySelector('button:enabled')?.focus();
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  startSearch();
});
form.addEventListener('change', ({ target }) => target.name === 'set' && startSearch());
document.querySelector('#use-sandbox').addEventListener('click', () => {
  form.elements.set.value = 'test';
  startSearch();
});
onRetry(startSearch);
onTileSelected(openRecord);

const urlParams = new URLSearchParams(location.search);
field.value = urlParams.get('q') ?? '';
form.elements.set.value = urlParams.get('set') === 'test' ? 'test' : 'real';
startSearch();
