// The state of the page in its URL, so that it can be shared, restored and stepped through.

const initial = { q: '', set: 'popular', tlds: '', sort: 'suggested', show: '', view: '', d: '' };
/** Servers and chats limit the length of a query. The part after `#` is sent to no server. */
const maxQueryLength = 2000;

/**
 * Returns the state: `q`, the text; `set`; `tlds`, a list of one's own; `sort`; `show`, which is
 * `available` if only these are shown; `view`, which is `matrix` for a comparison; and `d`, the name
 * whose details are shown.
 */
export function readAddress() {
  const parameters = new URLSearchParams(`${location.search}&${location.hash.slice(1)}`);
  return { ...initial, ...Object.fromEntries(parameters) };
}

/** Changes the state, as a step of its own for Back and Forward if `isStep`. */
export function writeAddress(changes, { isStep = false, hasPanel = false } = {}) {
  const state = { ...readAddress(), ...changes };
  const given = Object.entries(state).filter(([key, value]) => value !== initial[key]);
  const query = new URLSearchParams(given).toString().replaceAll('%2C', ',');
  const mark = query.length > maxQueryLength ? '#' : '?';
  const url = query ? `${mark}${query}` : '';
  if (url === location.search + location.hash) return;

  const method = isStep ? 'pushState' : 'replaceState';
  history[method](hasPanel ? { hasPanel } : null, '', location.pathname + url);
}
