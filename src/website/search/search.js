// The search page: looks up what the user types under the chosen TLDs.
import { readAddress, writeAddress } from './address.js';
import * as field from './field.js';
import { onIdeaSelected, showIdeas } from './ideas.js';
import { hideSamples, loadStart, onSampleSelected, showStart } from './start.js';
import { searchOf } from './names.js';
import { runQuery } from './gateway.js';
import * as notice from './notice.js';
import { labelsIn, registrableNames } from './reading.js';
import { clearResults, focusResults, grid, onNameSelected, Results } from './results.js';
import { groups, starredNames } from './shortlist.js';
import { showCredits } from './summary.js';
import { editCustomList, listOf, loadSet } from './tld-sets.js';
import { loadWatches } from './watches.js';

const debounceMs = 200;
const siteTitle = document.title;

const form = document.querySelector('#search');
const sandboxHint = document.querySelector('#sandbox-hint');
const editCustom = document.querySelector('#edit-custom');
const setsRow = document.querySelector('.sets');
const object = document.querySelector('#object');
const panel = document.querySelector('#panel');
const { set: sets, sort, available, compare } = form.elements;

let search = new AbortController();
let results;
let debounceTimer;
let panelModule;
let ignoresOffline = false;
/** The search in the URL, and whether it was completed: until then, the user is still typing. */
let searched;
let wasCompleted = false;

/**
 * Starts a search for the content of the field, and ends the one before. `isStep`: Back returns to
 * the one before.
 */
async function startSearch({ isStep = wasCompleted } = {}) {
  cancelSearch();
  search = new AbortController();
  const { signal } = search;
  // A list that is opened while the reader loads may be empty, and then starts no search.
  const [chosenSet, list] = [sets.value, chosenList()];
  try {
    if (!field.isReady()) await field.loadReader();
    if (signal.aborted) return;
    const input = field.interpretField();
    saveSearch(input, isStep, chosenSet, list);
    show(input);
    const [set, names] = await Promise.all([
      loadSet(chosenSet, list),
      registrableNames(labelsIn(input), (...query) => runQuery(...query, signal)),
    ]);
    if (signal.aborted) return;
    const isOffline = !set.networkReachable && chosenSet !== 'test' && !ignoresOffline;
    const isLocal = names.length > 0 && names.every(isInSandbox);
    if (isOffline && isLocal) showResults({ ...input, names }, { tlds: [], total: 0 });
    else if (isOffline) showOffline();
    else if (names.length > 0) showResults({ ...input, names }, set);
    if (input.kind === 'object') {
      const { showObject } = await import('./object.js');
      await showObject(input, signal);
    }
    void loadStart();
    void loadWatches();
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

/** Whether a full name is one of the sandbox, which needs no network. */
const isInSandbox = (labels) => labels.length > 1 && labels.at(-1) === 'test';

/** Shows what belongs to the input, without its results. */
function show(input) {
  const { kind, names } = input;
  const isEmpty = kind === 'empty';
  document.body.classList.toggle('searching', !isEmpty);
  document.title = isEmpty ? siteTitle : `${titleOf(kind, names)} · Domain search`;
  object.hidden = kind !== 'object';
  // Full names do not need a choice of TLDs.
  setsRow.hidden = !object.hidden || names?.every((labels) => labels.length > 1) === true;
  editCustom.hidden = sets.value !== 'custom';
  sandboxHint.hidden = sets.value !== 'test';
  showStart(isEmpty);
  showIdeas();
  if (labelsIn(input).length === 0) clearResults();
}

function titleOf(kind, names) {
  return kind === 'list' ? `${names.length} names` : field.readField();
}

function showResults(input, set) {
  const { kind, names, alternative } = input;
  const looked = searchOf(input, set);
  if (kind === 'name') {
    const [[label]] = names;
    field.showReading(input, label);
    showIdeas(label, (looked.headline ?? looked.names[0])?.suffix, alternative);
  }
  results = new Results(looked, {
    onSettled(haveAllFailed) {
      wasCompleted = true;
      if (haveAllFailed && sets.value !== 'test') notice.showUnreachable();
    },
    onError: fail,
  });
  // One label has nothing to be compared with.
  const canCompare = new Set(names.map(([label]) => label)).size > 1;
  compare.parentElement.hidden = !canCompare;
  if (canCompare && compare.checked) void results.compare(true);
}

function showOffline() {
  clearResults();
  notice.showOffline();
}

/** Shows why the search cannot continue. Results that have arrived are kept. */
function fail(error) {
  if (!results) clearResults();
  hideSamples();
  object.hidden = true;
  if (error.code === 'invalid_name') {
    clearResults();
    field.showReading({ kind: 'invalid', message: error.message });
  } else notice.showError(error, results?.progress);
}

/** Continues a search that was interrupted, or starts one that could not start. */
function retry() {
  notice.clearNotice();
  void loadWatches({ isNew: true });
  if (results) results.retry();
  else void startSearch();
}

/** Returns the TLDs of the chosen set, if the API does not know it. */
function chosenList() {
  return listOf(form.querySelector('[name="set"]:checked'), readAddress().tlds);
}

/** Stores the search in the URL. */
function saveSearch(input, isStep, set, list) {
  const q =
    input.kind === 'list'
      ? input.names.map((labels) => labels.join('.')).join(',')
      : field.readField();
  const tlds = set === 'custom' ? list.join(',') : '';
  writeAddress({ q, set, tlds }, { isStep: isStep && readAddress().q !== '' });
  searched = searchInAddress();
  wasCompleted = false;
}

function searchInAddress() {
  const { q, set, tlds } = readAddress();
  return JSON.stringify([q, set, tlds]);
}

/** Makes the page match its URL. */
function followAddress() {
  const { q, set, sort: order, show: filter, view, d } = readAddress();
  // A list is easier to edit as lines. An unknown set leaves the default.
  field.setField(q.includes(',') ? q.replaceAll(',', '\n') : q);
  sets.value = set;
  sort.value = order;
  available.checked = filter === 'available';
  compare.checked = view === 'matrix';
  grid.sort(order);
  grid.filter(available.checked);
  showChosenSet();
  if (d) void showPanel(d);
  else panel.close();
}

/** Opens the panel. Its module is loaded when it is first needed, so that the page is ready sooner. */
async function showPanel(domain) {
  panelModule ??= import('./panel.js').then((loaded) => {
    loaded.onPanelClosed(leaveDetails);
    return loaded;
  });
  const { openPanel } = await panelModule;
  if (readAddress().d === domain) void openPanel(domain);
}

/** Opens the panel of a name, which gets a URL of its own. */
function showDetails(domain) {
  writeAddress({ d: domain }, { isStep: true, hasPanel: true });
  void showPanel(domain);
}

/** Removes the panel from the URL after the user has closed it. */
function leaveDetails() {
  if (readAddress().d === '') return;
  if (history.state?.hasPanel) history.back();
  else writeAddress({ d: '' });
}

function chooseSandbox() {
  sets.value = 'test';
  showChosenSet();
  void startSearch({ isStep: true });
}

/** Scrolls to the chosen set, which may be outside the visible part of the row on a phone. */
function showChosenSet() {
  const chosen = form.querySelector('[name="set"]:checked').parentElement;
  chosen.scrollIntoView({ block: 'nearest', inline: 'center' });
}

function editList() {
  editCustomList(chosenList(), (tlds) => {
    writeAddress({ set: 'custom', tlds: tlds.join(',') }, { isStep: true });
    void startSearch();
  });
}

/** Shows the names that the user has starred, as a list, by group if there are groups. */
function showShortlist() {
  field.setField(starredNames().join('\n'));
  void startSearch({ isStep: true });
  if (groups().size > 0) sortBy('group');
}

function sortBy(order) {
  sort.value = order;
  grid.sort(order);
  writeAddress({ sort: order });
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void startSearch({ isStep: true });
});
form.addEventListener('change', ({ target }) => {
  if (target === sort) sortBy(sort.value);
  if (target === available) {
    grid.filter(available.checked);
    writeAddress({ show: available.checked ? 'available' : '' });
  }
  if (target === compare) {
    void results?.compare(compare.checked);
    writeAddress({ view: compare.checked ? 'matrix' : '' });
  }
  if (target.name !== 'set') return;
  if (sets.value === 'custom' && chosenList().length === 0) editList();
  else void startSearch({ isStep: true });
});
form.addEventListener('keydown', (event) => {
  if (event.key !== 'ArrowDown' || event.target.id !== 'label') return;
  if (event.target.selectionEnd < event.target.value.length) return;
  event.preventDefault();
  focusResults();
});
field.onFieldChanged(
  () => {
    const wasComplete = results?.isComplete === true;
    clearTimeout(debounceTimer);
    debounceTimer = setTimeout(startSearch, debounceMs, { isChosen: wasComplete });
  },
  () => void startSearch({ isStep: true }),
);
editCustom.addEventListener('click', editList);
document.querySelector('#shortlist').addEventListener('click', showShortlist);
document.querySelector('#watching').addEventListener('click', async () => {
  const { openWatches } = await import('./watch-list.js');
  openWatches();
});
notice.onNoticeAction({
  retry,
  sandbox: chooseSandbox,
  anyway() {
    ignoresOffline = true;
    void startSearch();
  },
});
for (const onSelected of [onNameSelected, onIdeaSelected, onSampleSelected])
  onSelected(showDetails);
addEventListener('popstate', () => {
  followAddress();
  if (searchInAddress() !== searched) void startSearch();
});

const typedEarly = field.readField();
followAddress();
// On a slow network, people type before the scripts have loaded.
if (typedEarly && readAddress().q === '') field.setField(typedEarly);
void startSearch();
void showCredits();
