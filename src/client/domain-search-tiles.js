// The tiles of <domain-search>: which names have one, and their elements.

/** Returns a name for the grid. */
export function nameOf(label, suffix) {
  return { label, suffix, tld: ascii(suffix), domain: ascii(`${label}.${suffix}`) };
}

const ascii = (name) => URL.parse(`http://${name}.x`)?.hostname.slice(0, -2) ?? name;

/** Returns names for the grid, each once: the labels in a list have as many TLDs as there is room for. */
export function tiledNames({ names, room = Infinity }, tlds) {
  const labels = names.filter(({ length }) => length === 1);
  const share = Math.floor((room - names.length + labels.length) / labels.length);
  const shown = tlds.slice(0, Math.max(1, share));
  const all = names.flatMap(([label, ...suffix]) =>
    suffix.length > 0
      ? { ...nameOf(label, suffix.join('.')), isFull: true }
      : shown.map((tld) => nameOf(label, tld)),
  );

  return [...new Map(all.map((name) => [name.domain, name])).values()].slice(0, room);
}

/** Returns the list item of a tile without a name. */
export function newTile() {
  const tile = element('button', 'tile');
  const [name, status] = [element('span', 'name'), element('span', 'status')];
  name.append(element('span', 'label'), element('span', 'suffix'));
  status.append(element('span', 'word'), ' ', element('span', 'note'));
  tile.append(name, ' ', status);

  const again = element('button', 'again');
  again.append('Try again');
  for (const button of [tile, again]) Object.assign(button, { type: 'button', tabIndex: -1 });

  const item = part('li', 'row');
  item.append(tile, again, element('p', 'cautions'));
  return item;
}

/** Adds what to check before a name is registered, for screen readers. Others see the note of the tile. */
export function dress(item, row) {
  const cautions = row?.cautions ?? [];
  item.querySelector('.cautions').textContent = cautions.map(({ detail }) => detail).join(' ');
}

/** Returns an element that can be styled from outside. */
export function part(tag, name = tag) {
  const created = document.createElement(tag);
  created.part = name;
  return created;
}

function element(tag, className) {
  const created = document.createElement(tag);
  created.className = className;
  return created;
}
