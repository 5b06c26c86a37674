// The names that a search looks up.
import { maxNames } from './reading.js';
import { toAscii } from './typed-text.js';

/**
 * Returns a name: its parts as they are shown, the `tld` and the `domain` as A-labels, and the label
 * as whose result it is looked up, if it is not a name of its own.
 */
export function nameOf(label, suffix, { tld = ascii(suffix), search } = {}) {
  return { label, suffix, tld, domain: `${ascii(label)}.${tld}`, search };
}

const ascii = (name) => toAscii(name) ?? name;

/** Returns the names of a label under TLDs of a set. */
export function namesUnder(label, { tlds }) {
  return tlds.map(({ label: tld, unicodeLabel }) =>
    nameOf(label, unicodeLabel, { tld, search: label }),
  );
}

/**
 * Returns what a search looks up: the name of the `headline`, the `names` of the grid, their
 * `extent` (`count` of `total`, and the `unit`), and how to `loadMore` of them.
 */
export function searchOf(input, set) {
  if (input.kind === 'list') return pageOf(input.names, set, { room: maxNames });
  const [[label, ...suffix]] = input.names;
  const page = pageOf([[label]], set);
  if (suffix.length === 0) return page;
  return { headline: nameOf(label, suffix.join('.'), { search: label }), ...page };
}

/**
 * Returns the names of a list. Its labels are searched under TLDs of a set: as many for each, so that
 * no label is missing if there is `room` for some names only.
 */
function pageOf(list, set, { room = Infinity, before = 0, known = new Set() } = {}) {
  const labels = list.filter(({ length }) => length === 1);
  const share = Math.floor((room - list.length + labels.length) / labels.length);
  const tlds = set.tlds.slice(0, Math.max(1, share));
  const all = list
    .flatMap(([label, ...suffix]) =>
      suffix.length > 0 ? nameOf(label, suffix.join('.')) : namesUnder(label, { tlds }),
    )
    .filter(({ domain }) => !known.has(domain) && known.add(domain));
  const names = all.slice(0, room);
  if (labels.length === 0)
    return { names, extent: { count: names.length, total: all.length, unit: 'name' } };

  const count = before + tlds.length;
  const rest = { room: room - names.length, before: count, known };
  const hasMore = set.next && rest.room >= labels.length;

  return {
    names,
    extent: { count, total: set.total, unit: 'TLD' },
    loadMore: hasMore && (async () => pageOf(labels, await set.next(), rest)),
  };
}
