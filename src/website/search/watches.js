// The names that are watched, and the buttons that watch them.
import { isFree, runQuery } from './gateway.js';
import { toAscii } from './typed-text.js';
import { mayBeWatched } from './verdicts.js';

const fields = 'domain startedAt problem { code detail } status expiresAt failingSince';
const listQuery = `query Watches($after: String) {
  watches(first: 500, after: $after) {
    nodes { ${fields} } pageInfo { hasNextPage endCursor }
  }
}`;
const watchQuery = `mutation Watch($domains: [String!]!) { watch(domains: $domains) { ${fields} } }`;
const unwatchQuery =
  'mutation Unwatch($domains: [String!]!) { unwatch(domains: $domains) { domain } }';

/** The watches by their names in A-labels. */
const watches = new Map();
/** Problems that buttons have caused, as elements in their rows. */
const alerts = new WeakMap();
const busyButtons = new Set();
const listeners = new Set();
const opener = document.querySelector('#watching');
let loading;
let isReady = false;
/** Why nothing can be watched. */
let refusal = '';

/** Returns the watches in the order of their names. */
export const watchedNames = () => [...watches.values()];

/** Calls a function when other names are watched. */
export function onWatchesChanged(listener) {
  listeners.add(listener);
}

/** Loads the watches once, or again after it has failed. `isNew`: with another key. */
export function loadWatches({ isNew = false } = {}) {
  if (isNew) loading = undefined;
  return (loading ??= readAll());
}

async function readAll() {
  const found = [];
  try {
    for (let after = null, hasNext = true; hasNext;) {
      const { data } = await runQuery(listQuery, { after });
      const { nodes, pageInfo } = data.watches;
      found.push(...nodes);
      [after, hasNext] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    [isReady, refusal] = [true, ''];
  } catch (error) {
    loading = undefined;
    [isReady, refusal] = [false, refusalOf(error)];
  }

  watches.clear();
  for (const watch of found) watches.set(watch.domain, watch);
  showWatches();
}

function refusalOf({ code = '', message }) {
  if (code.endsWith('_api_key')) return 'Watching a name requires an API key.';
  if (code.startsWith('forbidden_')) return 'This API key does not allow watching names.';
  return `Names cannot be watched now. ${message}`;
}

/** Makes a button watch a name. It is hidden if the row gives no reason to watch the name. */
export function setWatch(button, name, row = {}) {
  if (button.dataset.watch !== name) tell(button);
  button.dataset.watch = name;
  button.dataset.mayBeWatched = mayBeWatched(row);
  showButton(button);
}

function showButton(button) {
  const { watch: name, mayBeWatched: isOffered } = button.dataset;
  const isWatched = watches.has(toAscii(name));
  button.hidden = !isReady || !(isWatched || isOffered === 'true');
  button.ariaPressed = String(isWatched);
  button.ariaLabel = `Watch ${name}`;
  button.title = isWatched ? 'Stop watching' : `Watch: record its changes. ${priceOf(name)}`;
}

/** Returns what it costs to watch a name, or several, as a sentence. */
export function priceOf(name = '') {
  return isFree(name) ? 'Free of charge.' : 'Costs 10 credits a month.';
}

function showWatches() {
  for (const button of document.querySelectorAll('[data-watch]')) showButton(button);
  for (const word of document.querySelectorAll('.no-watching')) {
    word.hidden = refusal === '';
    word.textContent = refusal;
  }

  opener.hidden = !isReady;
  opener.querySelector('.count').textContent = watches.size || '';
  for (const listener of listeners) listener();
}

/** Watches a name, or ends its watch. Rejects with the reason in its message. */
export async function toggleWatch(domain) {
  const domains = [domain];
  if (watches.has(domain)) {
    await runQuery(unwatchQuery, { domains });
    watches.delete(domain);
  } else {
    const { data } = await runQuery(watchQuery, { domains });
    const [watch] = data.watch;
    if (!watch.startedAt) throw new Error(watch.problem.detail);
    watches.set(domain, watch);
  }

  showWatches();
}

/** Runs the task of a button once at a time. Why it fails is shown in the row of the button. */
export async function runInRow(button, task) {
  if (busyButtons.has(button)) return;

  busyButtons.add(button);
  tell(button);

  try {
    await task();
  } catch ({ code, message, retryAfter }) {
    const isLimit = code === 'rate_limited' && retryAfter;
    tell(button, isLimit ? `Too many requests. Try again in ${retryAfter} s.` : message);
  }

  busyButtons.delete(button);
}

/** Shows a text in the row of a button, or removes it. */
function tell(button, text) {
  alerts.get(button)?.remove();
  if (!text) return;

  const alert = document.createElement('p');
  alert.className = 'row-problem';
  alert.role = 'alert';
  alert.textContent = text;
  alerts.set(button, alert);

  const row = button.closest('li');
  if (row) row.append(alert);
  else button.closest('.actions').after(alert);
}

document.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-watch]');
  if (button) void runInRow(button, () => toggleWatch(toAscii(button.dataset.watch)));
});
