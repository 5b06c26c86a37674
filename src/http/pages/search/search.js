// The search page: looks up what the user types under the chosen TLDs.
import * as field from './field.js';
import { runQuery } from './gateway.js';
import { filterTiles, focusGrid, onTileSelected, sortTiles } from './grid.js';
import { onHeadlineSelected } from './headline.js';
import * as notice from './notice.js';
import { closePanel, onPanelClosed, openPanel } from './panel.js';
import { clearResults, Results } from './results.js';
import { showCredits } from './summary.js';
import { customList, editCustomList, loadSet } from './tld-sets.js';

const namesQuery = `query Names($domains: [String!]!) {
  domains(domains: $domains, budgetMs: 0, confirm: AVAILABLE) { status }
}`;
const debounceMs = 200;

const form = document.querySelector('#search');
const start = document.querySelector('#start');
const sandboxHint = document.querySelector('#sandbox-hint');
const editCustom = document.querySelector('#edit-custom');
const { set: sets, sort, available } = form.elements;

let search = new AbortController();
let results;
let debounceTimer;
let ignoresOffline = false;

/** Starts a search for the content of the field, and ends the one before. */
async function startSearch() {
  cancelSearch();
  search = new AbortController();
  const { signal } = search;
  saveToUrl();
  editCustom.hidden = sets.value !== 'custom';
  sandboxHint.hidden = sets.value !== 'test';
  const input = field.interpretField();
  start.hidden = input.kind !== 'empty';
  if (input.kind !== 'name') clearResults();
  try {
    const [set, name] = await Promise.all([
      loadSet(sets.value),
      input.kind === 'name' && registrableName(input.labels, signal),
    ]);
    if (signal.aborted) return;
    const isOffline = !set.networkReachable && sets.value !== 'test' && !ignoresOffline;
    if (isOffline) showOffline();
    else if (name) showResults(name, set, input.alternative);
  } catch (error) {
    if (!signal.aborted) fail(error);
  }
}

function cancelSearch() {
  clearTimeout(debounceTimer);
  search.abort();
  results?.abort();
  results = undefined;
  notice.clearNotice();
}

/**
 * Returns the registrable name in a full domain name: `example` and `co.uk` for
 * `shop.example.co.uk`. Only the gateway knows under which suffixes names are registered.
 */
async function registrableName(labels, signal) {
  let at = 0;
  if (labels.length > 2) {
    const domains = labels.slice(1).map((_label, index) => labels.slice(index).join('.'));
    const { data } = await runQuery(namesQuery, { domains }, signal);
    at = Math.max(0, data.domains?.findIndex(({ status }) => status !== 'INVALID') ?? 0);
  }
  return { label: labels[at], suffix: labels.slice(at + 1).join('.') };
}

function showResults(name, set, alternative) {
  field.showLabel(name.label, alternative);
  results = new Results(name, set, {
    onSettled: (haveAllFailed) =>
      haveAllFailed && sets.value !== 'test' && notice.showUnreachable(),
    onError: fail,
  });
}

function showOffline() {
  clearResults();
  notice.showOffline();
}

/** Shows why the search cannot continue. Results that have arrived are kept. */
function fail(error) {
  if (!results) clearResults();
  if (error.code === 'invalid_name') {
    clearResults();
    field.showInvalid(error.message);
  } else notice.showError(error, results?.progress);
}

/** Continues a search that was interrupted, or starts one that could not start. */
function retry() {
  notice.clearNotice();
  if (results) results.retry();
  else void startSearch();
}

/** Stores the search in the URL, so that it can be shared and restored. */
function saveToUrl() {
  const q = field.readField();
  const set = sets.value;
  const d = new URLSearchParams(location.search).get('d');
  const query = { ...(q && { q }), ...(set !== 'popular' && { set }), ...(d && { d }) };
  history.replaceState(history.state, '', urlOf(query));
}

function urlOf(query) {
  const parameters = new URLSearchParams(query);
  return parameters.size > 0 ? `?${parameters}` : location.pathname;
}

/** Opens the panel of a name, which gets a URL of its own. */
function showDetails(domain) {
  const query = Object.fromEntries(new URLSearchParams(location.search));
  history.pushState({ hasPanel: true }, '', urlOf({ ...query, d: domain }));
  void openPanel(domain);
}

/** Removes the panel from the URL after the user has closed it. */
function leaveDetails() {
  const { d, ...query } = Object.fromEntries(new URLSearchParams(location.search));
  if (d === undefined) return;
  if (history.state?.hasPanel) history.back();
  else history.replaceState(null, '', urlOf(query));
}

/** Opens or closes the panel to match the URL. */
function followUrl() {
  const d = new URLSearchParams(location.search).get('d');
  if (d) void openPanel(d);
  else closePanel();
}

function chooseSandbox() {
  sets.value = 'test';
  showChosenSet();
  void startSearch();
}

/** Scrolls to the chosen set, which may be outside the visible part of the row on a phone. */
function showChosenSet() {
  const chosen = form.querySelector('[name="set"]:checked').parentElement;
  chosen.scrollIntoView({ block: 'nearest', inline: 'center' });
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void startSearch();
});
form.addEventListener('change', ({ target }) => {
  if (target === sort) sortTiles(sort.value);
  if (target === available) filterTiles(available.checked);
  if (target.name !== 'set') return;
  if (sets.value === 'custom' && customList.get().length === 0) editCustomList(startSearch);
  else void startSearch();
});
form.addEventListener('keydown', (event) => {
  if (event.key !== 'ArrowDown' || event.target.id !== 'label') return;
  event.preventDefault();
  focusGrid();
});
field.onFieldChanged(() => {
  cancelSearch();
  debounceTimer = setTimeout(startSearch, debounceMs);
}, startSearch);
editCustom.addEventListener('click', () => editCustomList(startSearch));
document.querySelector('#more').addEventListener('click', () => void results?.showMore());
notice.onNoticeAction({
  retry,
  sandbox: chooseSandbox,
  anyway() {
    ignoresOffline = true;
    void startSearch();
  },
});
onTileSelected(showDetails);
onHeadlineSelected(showDetails);
onPanelClosed(leaveDetails);
addEventListener('popstate', followUrl);

const restored = new URLSearchParams(location.search);
field.setField(restored.get('q') ?? '');
// An unknown set leaves the default.
sets.value = restored.get('set');
showChosenSet();
void startSearch();
void showCredits();
followUrl();
