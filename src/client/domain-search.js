// The custom element <domain-search>, in the npm package as `rdap-graphql-gateway/domain-search`: a
// search box with the grid of the search page. Files for browsers are JavaScript, as in `src/website/`.
import { GatewayClient, GatewayError } from './client.js';
import { Grid, tileStyle } from './grid.js';

const styles = new CSSStyleSheet();
styles.replaceSync(`
  :host {
    --line: light-dark(#e2e5eb, #2a303b);
    --quiet: light-dark(#59626f, #9ea8b7);
    display: block;
    font: inherit;
  }
  * { box-sizing: border-box; }
  [hidden] { display: none; }
  label { display: grid; gap: 0.25rem; }
  input { padding: 0.5em 0.75em; font: inherit; }
  p { margin: 0.5rem 0; }
  progress { width: 100%; }
  .again { padding: 0 0.75rem; text-decoration: underline; font: inherit; cursor: pointer; }
  .cautions { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
`);

/** A search starts when the user has not typed for this time. */
const pauseMs = 200;

const setQuery = 'query Set($set: String!) { tlds(set: $set, first: 100) { nodes { label } } }';

/**
 * Attributes: `gateway` (address; by default, the origin of the page), `tlds` (TLDs and sets, separated
 * by spaces), `label` and `api-key`. Fires `domain-result` with each result, and `domain-select` with
 * the result of a tile that is clicked, as its `detail`.
 */
class DomainSearch extends HTMLElement {
  #label = document.createElement('label');
  #input = part('input');
  #rows = part('ul', 'rows');
  #status = part('p', 'status');
  #progress = part('progress');
  #grid;
  /** The results by the names in the grid. */
  #results = new Map();
  /** The TLDs of sets that have been requested. */
  #sets = new Map();
  /** Aborts the search in progress. */
  #search = new AbortController();
  #timer;

  constructor() {
    super();
    this.#input.type = 'search';
    this.#input.autocomplete = 'off';
    this.#input.spellcheck = false;
    this.#rows.className = 'grid';
    this.#rows.ariaLabel = 'Results';
    this.#progress.ariaLabel = 'Names checked';
    this.#progress.hidden = true;
    // Announced by screen readers.
    this.#status.role = 'status';
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [tileStyle, styles];
    root.append(this.#label, this.#progress, this.#status, this.#rows);
    this.#grid = new Grid(this.#rows, {
      newTile,
      dress,
      onSelected: (shown) => this.#select(shown),
      onRetry: (name) => void this.#run([name], { domains: [name.domain] }),
      onLeave: () => this.#input.focus(),
    });
    this.#input.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.search(this.#input.value), pauseMs);
    });
  }

  connectedCallback() {
    this.#label.replaceChildren(this.getAttribute('label') ?? 'Domain name', this.#input);
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    this.#search.abort();
  }

  /**
   * Shows whether a full name is available, or a label under each of `tlds`. Ends the search before it,
   * whose names that have not been sent are dropped.
   */
  async search(text) {
    this.#search.abort();
    this.#search = new AbortController();
    const { signal } = this.#search;
    const name = text.trim();
    this.#clear();
    if (name === '') return;
    this.#rows.ariaBusy = 'true';
    const [label, ...suffix] = name.split('.');
    if (suffix.length > 0) {
      const names = [nameOf(label, suffix.join('.'))];
      this.#grid.add(names);
      return this.#run(names, { domains: [name] });
    }
    const tlds = (this.getAttribute('tlds') ?? '@popular').trim().split(/[\s,]+/);
    const listed = await Promise.all(tlds.map((tld) => this.#tldsOf(tld)));
    if (signal.aborted) return;
    const names = [...new Set(listed.flat())].map((tld) => nameOf(name, tld));
    this.#grid.add(names);
    await this.#run(names, { name, tlds });
  }

  get #gateway() {
    return this.getAttribute('gateway') ?? location.origin;
  }

  get #apiKey() {
    return this.getAttribute('api-key') ?? undefined;
  }

  /** Looks up names in the grid. */
  async #run(names, searched) {
    const { signal } = this.#search;
    const byTld = new Map(names.map((name) => [name.tld, name]));
    const client = new GatewayClient(this.#gateway, { apiKey: this.#apiKey });
    for (const name of names) this.#grid.fill(name, { status: 'PENDING' });
    const isMissing = (name) => !this.#results.has(name);
    this.#progress.hidden = false;
    try {
      for await (const row of client.search(searched, { confirm: 'AVAILABLE', signal })) {
        const name = searched.domains ? names[0] : byTld.get(row.tld);
        this.#show(name ?? this.#newName(row), row, names.length);
      }
      const rows = [...this.#results.values()];
      const available = rows.filter((row) => row.available).length;
      const counted = rows.length === 1 ? 'name is' : 'names are';
      this.#status.textContent = `${available} of ${rows.length} ${counted} available.`;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof GatewayError)) throw error;
      if (this.#results.size === 0) this.#clear();
      this.#status.textContent = error.detail;
    }
    for (const name of names.filter(isMissing)) this.#grid.fill(name, { status: 'UNANSWERED' });
    this.#rows.ariaBusy = 'false';
    this.#progress.hidden = true;
  }

  #show(name, row, count) {
    this.#results.set(name, row);
    this.#grid.fill(name, row);
    this.#progress.max = Math.max(count, 1);
    this.#progress.value = this.#results.size;
    this.#fire('domain-result', row);
  }

  /** Adds a name whose set could not be read before. */
  #newName({ name, tld }) {
    const added = nameOf(name, tld);
    this.#grid.add([added]);
    return added;
  }

  #clear() {
    this.#grid.clear();
    this.#results.clear();
    this.#status.textContent = '';
    this.#rows.ariaBusy = 'false';
    this.#progress.hidden = true;
    this.#progress.removeAttribute('value');
  }

  #select(shown) {
    const row = [...this.#results.values()].find(({ unicodeName }) => unicodeName === shown);
    if (row) this.#fire('domain-select', row);
  }

  #fire(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
  }

  /** Returns the TLDs of a set, so that they have their places at once. A key may not allow that. */
  #tldsOf(tld) {
    if (!tld.startsWith('@')) return [tld];
    const key = `${this.#gateway} ${tld}`;
    if (!this.#sets.has(key))
      this.#sets.set(
        key,
        this.#readSet(tld.slice(1)).catch(() => []),
      );
    return this.#sets.get(key);
  }

  async #readSet(set) {
    const key = this.#apiKey;
    const response = await fetch(`${this.#gateway.replace(/\/$/, '')}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
      body: JSON.stringify({ query: setQuery, variables: { set } }),
    });
    const { data } = await response.json();
    return data.tlds.nodes.map(({ label }) => label);
  }
}

/** Returns a name for the grid. */
function nameOf(label, suffix) {
  const tld = URL.parse(`http://x.${suffix}`)?.hostname.slice(2) ?? suffix;
  return { label, suffix, tld, domain: `${label}.${suffix}` };
}

function newTile() {
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
function dress(item, row) {
  const cautions = row?.cautions ?? [];
  item.querySelector('.cautions').textContent = cautions.map(({ detail }) => detail).join(' ');
}

/** Returns an element that can be styled from outside. */
function part(tag, name = tag) {
  const created = document.createElement(tag);
  created.part = name;
  return created;
}

function element(tag, className) {
  const created = document.createElement(tag);
  created.className = className;
  return created;
}

if (!customElements.get('domain-search')) customElements.define('domain-search', DomainSearch);
