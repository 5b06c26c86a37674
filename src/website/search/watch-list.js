// The list of watched names with their last changes, and the addresses for other programs.
import { copyText } from './export.js';
import { day, time } from './facts.js';
import { callRest, runQuery, subscribe } from './gateway.js';
import { phraseOf, verdictOf } from './verdicts.js';
import { onWatchesChanged, priceOf, runInRow, toggleWatch, watchedNames } from './watches.js';

const fields = 'id type seenAt after domain { domain unicodeName }';
const pageQuery = `query Changes($after: ID) {
  changes(first: 500, after: $after) { nodes { ${fields} } pageInfo { hasNextPage endCursor } }
}`;
const liveQuery = `subscription Live($after: ID) { changes(after: $after) { ${fields} } }`;
const namesQuery = `query Names($domains: [String!]!) {
  domains(domains: $domains, budgetMs: 0) { domain unicodeName }
}`;
const batchSize = 100;

const dialog = document.querySelector('#watches');
const [price, status, list, more, create, feedList] = [
  '.price',
  '[role=status]',
  '.watched',
  '.more',
  '.create',
  '.feeds',
].map((selector) => dialog.querySelector(selector));
const rowTemplate = document.querySelector('#watched');
const feedTemplate = document.querySelector('#feed');

/** The last change of each name, and the names as people write them. */
const lastChanges = new Map();
const unicodeNames = new Map();
/** The addresses of the feeds that this page has created. */
const addresses = new Map();
let cursor = null;
let shownCount = batchSize;
let reading = new AbortController();

/** Opens the list, which shows changes as they are seen until it is closed. */
export function openWatches() {
  dialog.showModal();
  reading = new AbortController();
  shownCount = batchSize;
  show();
  void readChanges(reading.signal);
  void showFeeds();
}

function show() {
  if (!dialog.open) return;

  const watches = watchedNames();
  const shown = watches.slice(0, shownCount);
  price.textContent = `Each name is looked at on a schedule. ${priceOf()}`;
  status.textContent =
    watches.length === 0
      ? 'No names are watched. Watch one with the bell beside a name that is taken.'
      : `${watches.length} ${watches.length === 1 ? 'name' : 'names'} watched.`;

  const rows = new Map([...list.children].map((row) => [row.dataset.domain, row]));
  const wanted = shown.map((watch) => fill(rows.get(watch.domain) ?? newRow(watch), watch));

  // Rows that stay are not moved, so that they keep the focus.
  for (const row of rows.values()) if (!wanted.includes(row)) row.remove();
  for (const [at, row] of wanted.entries())
    if (list.children[at] !== row) list.insertBefore(row, list.children[at] ?? null);
  more.hidden = shown.length === watches.length;
  void nameRows(shown);
}

function newRow({ domain }) {
  const row = rowTemplate.content.cloneNode(true).firstElementChild;
  row.dataset.domain = domain;
  const button = row.querySelector('button');
  button.addEventListener('click', () => void runInRow(button, () => unwatch(row)));
  return row;
}

function fill(row, { domain, problem, status: verdict, expiresAt, failingSince }) {
  const name = unicodeNames.get(domain) ?? domain;
  const change = lastChanges.get(domain);
  const shown = verdictOf({ status: verdict });
  row.dataset.kind = problem || !verdict ? 'failed' : shown.kind;

  const state = [
    problem ? `Paused. ${problem.detail}` : verdict ? phraseOf(shown) : 'Not checked yet',
    !problem && failingSince && `no answer since ${time(failingSince)}`,
    expiresAt && `expires ${day(expiresAt)}`,
  ];

  row.querySelector('strong').textContent = name;
  row.querySelector('.status').textContent = state.filter(Boolean).join(' · ');
  row.querySelector('.last').textContent = change
    ? `${textOf(change)} · ${time(change.seenAt)}`
    : 'No change seen yet';
  row.querySelector('button').ariaLabel = `Unwatch ${name}`;

  return row;
}

const changeTexts = {
  AVAILABLE: () => 'Became available',
  REGISTERED: () => 'No longer available',
  PHASE: ({ phase }) => `Phase: ${phase?.toLowerCase().replaceAll('_', ' ') ?? 'none'}`,
  EXPIRY: ({ expiresAt }) => (expiresAt ? `Now expires ${day(expiresAt)}` : 'No expiry date'),
  REGISTRAR: ({ registrar }) => (registrar?.name ? `Moved to ${registrar.name}` : 'No registrar'),
  NAMESERVERS: () => 'Other nameservers',
  DNSSEC: () => 'DNSSEC changed',
  STATUSES: () => 'Status changed',
  UPDATED: () => 'Record updated',
  WITHOUT_VERDICT: () => 'No answer any more',
  VERDICT_BACK: () => 'Answers again',
};

function textOf({ type, after }) {
  return changeTexts[type]?.(after ?? {}) ?? type;
}

/** Loads the names of A-labels as people write them. */
async function nameRows(watches) {
  const domains = watches
    .map(({ domain }) => domain)
    .filter((domain) => /(?:^|\.)xn--/.test(domain) && !unicodeNames.has(domain))
    .slice(0, batchSize);
  if (domains.length === 0) return;

  for (const domain of domains) unicodeNames.set(domain, domain);
  const { data } = await runQuery(namesQuery, { domains }).catch(() => ({}));
  for (const { domain, unicodeName } of data?.domains ?? []) unicodeNames.set(domain, unicodeName);
  show();
}

async function unwatch(row) {
  const { domain } = row.dataset;
  const next = row.nextElementSibling ?? row.previousElementSibling;
  await toggleWatch(domain);
  const name = unicodeNames.get(domain) ?? domain;
  status.textContent = `${name} is no longer watched. ${status.textContent}`;
  (next?.querySelector('button') ?? dialog.querySelector('.close')).focus();
}

/** Reads the changes since the list was last open, and then each new one. */
async function readChanges(signal) {
  try {
    for (let hasNext = true; hasNext;) {
      const { data } = await runQuery(pageQuery, { after: cursor }, signal);
      const { nodes, pageInfo } = data.changes;
      for (const change of nodes) lastChanges.set(change.domain.domain, change);
      cursor = pageInfo.endCursor ?? cursor;
      hasNext = pageInfo.hasNextPage;
    }

    show();
    for await (const { data } of subscribe(liveQuery, { after: cursor }, signal)) {
      const { changes: change } = data;
      const { domain } = change.domain;
      lastChanges.set(domain, change);
      cursor = change.id;

      const watch = watchedNames().find((each) => each.domain === domain);
      const { verdict, expiresAt = null } = change.after ?? {};
      if (watch && verdict) Object.assign(watch, { status: verdict, expiresAt });
      show();
    }
  } catch (error) {
    if (signal.aborted) return;
    // A cursor expires if the page is open for months.
    if (error.code === 'cursor_expired') cursor = null;
    status.textContent = `The changes could not be read. ${error.message}`;
  }
}

async function showFeeds() {
  try {
    const { feeds } = await callRest('GET', 'v1/feeds');
    feedList.replaceChildren(...feeds.map(feedRow));
  } catch ({ message }) {
    feedList.textContent = `The addresses could not be read. ${message}`;
  }
}

function feedRow({ id, created_at: createdAt }) {
  const row = feedTemplate.content.cloneNode(true).firstElementChild;
  const created = time(createdAt);
  row.querySelector('.created').textContent = `Created ${created}`;

  for (const [kind, url] of Object.entries(addresses.get(id) ?? {})) {
    const label = row.querySelector(`.${kind}`);
    label.hidden = false;
    label.querySelector('input').value = url;
    const copy = label.querySelector('button');
    copy.addEventListener('click', () => void copyText(copy, url));
  }

  const revoke = row.querySelector('.revoke');
  revoke.ariaLabel = `Revoke the addresses created ${created}`;
  revoke.addEventListener('click', () => {
    void runInRow(revoke, async () => {
      await callRest('DELETE', `v1/feeds/${id}`);
      row.remove();
      create.focus();
    });
  });

  return row;
}

create.addEventListener('click', () => {
  void runInRow(create, async () => {
    const { id, atom, calendar } = await callRest('POST', 'v1/feeds');
    addresses.set(id, { atom, calendar });
    await showFeeds();
    feedList.querySelector('.atom:not([hidden]) button')?.focus();
  });
});
more.addEventListener('click', () => {
  shownCount += batchSize;
  show();
});
dialog.addEventListener('close', () => reading.abort());
dialog.querySelector('.close').addEventListener('click', () => dialog.close());
onWatchesChanged(show);
