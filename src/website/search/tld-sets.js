// The TLDs to search: sets of the gateway, and a list of the user that is stored in the browser.
import { readStored, runQuery, store } from './gateway.js';
import { parseTlds, toAscii } from './typed-text.js';

/** Under other TLDs, visitors can register nothing. */
const query = `query Tlds($set: String!, $after: String) {
  tlds(set: $set, first: 100, after: $after, policy: [OPEN, RESTRICTED, NOT_SOLD, UNKNOWN]) {
    networkReachable totalCount
    nodes { label unicodeLabel }
    pageInfo { hasNextPage endCursor }
  }
}`;

/**
 * Loads the first hundred TLDs of a set: `{ tlds, total, networkReachable, next }`. `next` loads the
 * following hundred, and is undefined after the last. `list` replaces the set by TLDs.
 */
export async function loadSet(set, list) {
  if (!list) return loadPage(set);
  // Of the gateway, only whether it can reach the network is needed.
  const { networkReachable } = await loadPage('popular');
  const tlds = list.map((tld) => ({ label: toAscii(tld), unicodeLabel: tld }));
  return { tlds, total: tlds.length, networkReachable };
}

/** The pages that have been loaded, by set and cursor. */
const pages = new Map();

async function loadPage(set, after = null) {
  const key = `${set} ${after}`;
  const page = pages.get(key) ?? (await queryPage(set, after));
  // Whether the network is reachable may change.
  if (page.networkReachable) pages.set(key, page);
  return page;
}

async function queryPage(set, after) {
  const { data } = await runQuery(query, { set, after });
  const { nodes: tlds, networkReachable, totalCount: total, pageInfo } = data.tlds;
  const next = pageInfo.hasNextPage ? () => loadPage(set, pageInfo.endCursor) : undefined;
  return { tlds, total, networkReachable, next };
}

const storageKey = 'custom-tlds';

/** The user's list. */
const customList = {
  get: () => readStored(storageKey, []),
  set: (tlds) => store(storageKey, tlds),
};

/**
 * Returns the TLDs of a chosen set that the gateway's API does not know: a set of the operator, or
 * the user's own, which the URL may contain.
 */
export function listOf({ value, dataset }, inUrl) {
  if (value === 'custom') return inUrl ? parseTlds(inUrl) : customList.get();
  return dataset.tlds?.split(' ');
}

const dialog = document.querySelector('#custom-dialog');
const text = dialog.querySelector('textarea');

/** Lets the user edit a list. Calls `onSaved(list)` if it was changed. */
export function editCustomList(list, onSaved) {
  text.value = list.join(' ');
  dialog.returnValue = '';
  dialog.addEventListener(
    'close',
    () => {
      if (dialog.returnValue !== 'save') return;
      const tlds = parseTlds(text.value);
      customList.set(tlds);
      onSaved(tlds);
    },
    { once: true },
  );
  dialog.showModal();
}
