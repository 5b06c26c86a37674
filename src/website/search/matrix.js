// The comparison of a list: a row per label, a column per TLD, and a symbol per name. It is a single tab
// stop, within which the arrow keys move.
import { placeAfter } from './grid.js';
import { nameOf } from './names.js';
import { maxNames } from './reading.js';
import { phraseOf, verdictOf } from './verdicts.js';

/** The symbols and their meanings. A style draws the mark of an available name. */
const symbols = {
  available: ['', 'available'],
  likely: ['≈', 'likely available'],
  taken: ['×', 'taken'],
  reserved: ['–', 'reserved or not sold'],
  unproven: ['?', 'cannot be proved'],
  failed: ['!', 'no answer'],
  invalid: ['/', 'not a name'],
  'no-tld': ['/', 'not a name'],
  checking: ['…', 'checking'],
};

const asciiLabel = ({ domain, tld }) => domain.slice(0, -tld.length - 1);

/** Returns the label and the TLDs of names, each once, as people write them by their A-labels. */
function axesOf(names) {
  return {
    labels: new Map(names.map((name) => [asciiLabel(name), name.label])),
    tlds: new Map(names.map(({ tld, suffix }) => [tld, suffix])),
  };
}

export class Matrix {
  #table = document.createElement('table');
  /** The buttons in the cells of the names. */
  #buttons = new Map();
  #tabStop;
  #names = [];

  /** `onSelected(name)` is called with the name of a cell that is clicked, as it is shown. */
  constructor(box, onSelected) {
    box.replaceChildren(element('div', this.#table), legend());
    this.#table.addEventListener('click', ({ target }) => {
      if (target.dataset.name) onSelected(target.dataset.name);
    });
    this.#table.addEventListener('focusin', ({ target }) => this.#setTabStop(target));
    this.#table.addEventListener('keydown', (event) => this.#move(event));
  }

  /** The names in their order. */
  get shownNames() {
    return [...this.#buttons.keys()];
  }

  /** Returns the names that names lack, as far as there is room, for the labels of those that are valid. */
  missingIn(names, isValid) {
    const known = new Set(names.map(({ domain }) => domain));
    const { tlds } = axesOf(names);
    const missing = [];
    for (const [label, shown] of axesOf(names.filter(isValid)).labels)
      for (const [tld, suffix] of tlds)
        if (missing.length < maxNames - names.length && !known.has(`${label}.${tld}`))
          missing.push(nameOf(shown, suffix, { tld, search: shown }));

    return missing;
  }

  /** Shows names, each with the row that `rowOf(name)` returns, if there is one. */
  show(names, rowOf) {
    if (names.length === this.#names.length && names[0] === this.#names[0]) return;

    this.#names = names;
    const { labels, tlds } = axesOf(names);
    const known = new Map(names.map((name) => [name.domain, name]));
    const at = this.#cells.indexOf(document.activeElement.parentElement);

    this.#buttons.clear();
    const cellOf = (name) => {
      if (!name) return element('td', hidden('Not checked'));
      this.#buttons.set(name, element('button'));
      this.fill(name, rowOf(name) ?? { status: 'PENDING' });
      return element('td', this.#buttons.get(name));
    };

    const head = [...tlds.values()].map((tld) => header('col', `.${tld}`));
    const rows = [...labels].map(([label, shown]) => {
      const cells = [...tlds.keys()].map((tld) => cellOf(known.get(`${label}.${tld}`)));
      return element('tr', header('row', shown), ...cells);
    });

    this.#table.replaceChildren(
      element('caption', hidden('Names by label and TLD')),
      element('thead', element('tr', header('col', 'Name'), ...head)),
      element('tbody', ...rows),
    );
    this.#setTabStop(this.#table.querySelector('button'));
    this.#cells[at]?.firstElementChild.focus({ preventScroll: true });
  }

  /** Shows a row in the cell of a name. */
  fill(name, row) {
    const button = this.#buttons.get(name);
    if (!button) return;

    const verdict = verdictOf(row);
    const shown = (row.status !== 'INVALID' && row.unicodeName) || `${name.label}.${name.suffix}`;
    const isMarked = /^(?:available|likely)$/.test(verdict.kind) && row.cautions?.length > 0;

    button.type = 'button';
    button.tabIndex = button === this.#tabStop ? 0 : -1;
    Object.assign(button.dataset, { kind: verdict.kind, name: shown });
    button.textContent = `${symbols[verdict.kind][0]}${isMarked ? '*' : ''}`;
    button.ariaLabel = `${shown}: ${phraseOf(verdict)}`;
    button.title = button.ariaLabel;
  }

  focus() {
    this.#tabStop?.focus();
  }

  get #cells() {
    return [...this.#table.querySelectorAll('td')];
  }

  #setTabStop(button) {
    if (this.#tabStop) this.#tabStop.tabIndex = -1;
    this.#tabStop = button;
    if (button) button.tabIndex = 0;
  }

  #move(event) {
    const cells = this.#cells;
    const columns = this.#table.rows[0].cells.length - 1;
    const at = cells.indexOf(event.target.parentElement);
    const next = placeAfter(event, at, columns, cells.length);
    if (next === undefined) return;

    event.preventDefault();
    if (next < 0) document.querySelector('#label').focus();
    else cells[next]?.querySelector('button')?.focus();
  }
}

/** Explains the symbols. */
function legend() {
  const created = element('p');
  for (const [kind, [symbol, meaning]] of Object.entries(symbols)) {
    if (kind === 'no-tld') continue;
    const mark = element('span', symbol);
    mark.dataset.kind = kind;
    created.append(mark, ` ${meaning} · `);
  }

  created.append('* with something to check');
  created.className = 'quiet';
  return created;
}

function header(scope, text) {
  const created = element('th', text);
  created.scope = scope;
  created.title = text;
  return created;
}

/** Returns a text for screen readers. */
function hidden(text) {
  const created = element('span', text);
  created.className = 'hidden';
  return created;
}

function element(name, ...content) {
  const created = document.createElement(name);
  created.append(...content);
  return created;
}
