// The custom element <domain-search>, in the npm package as `rdap-graphql-gateway/domain-search`: a
// search box that reads texts like the search page, and has its grid. `scripts/bundle-element.ts`
// bundles it. Files for browsers are JavaScript, as in `src/website/`.
import { GatewayClient, GatewayError } from './client.js';
import { dress, nameOf, newTile, part, tiledNames } from './domain-search-tiles.js';
import { Grid, sheetOf, tileStyle } from './grid.js';

const styles = sheetOf(`
  :host {
    --line: light-dark(#e2e5eb, #2a303b);
    --quiet: light-dark(#59626f, #9ea8b7);
    display: block;
    font: inherit;
  }
  * { box-sizing: border-box; }
  [hidden] { display: none; }
  label { display: grid; gap: 0.25rem; }
  textarea { max-height: 6lh; padding: 0.5em 0.75em; resize: none; field-sizing: content; font: inherit; }
  p { margin: 0.5rem 0; }
  progress { width: 100%; }
  .again, [data-example] { text-decoration: underline; font: inherit; cursor: pointer; }
  .again { padding: 0 0.75rem; }
  [data-example] { padding: 0; border: 0; background: none; color: inherit; text-align: start; }
  [aria-invalid='true'], .invalid { color: var(--unknown); }
  .cautions { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
`);

/** A search starts when the user has not typed for this time. */
const pauseMs = 200;

const setQuery = 'query Set($set: String!) { tlds(set: $set, first: 100) { nodes { label } } }';

/** How many full names are looked up in one request. */
const batchSize = 100;

/**
 * Attributes: `gateway` (address; by default, the origin of the page), `tlds` (TLDs and sets, separated
 * by spaces), `label` and `api-key`. Fires `domain-result` with each result, and `domain-select` with
 * the result of a tile that is clicked, as its `detail`.
 */
class DomainSearch extends (globalThis.HTMLElement ?? Object) {
  #label = document.createElement('label');
  #input = part('textarea', 'input');
  #reading = part('p', 'reading');
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
    this.#input.rows = 1;
    this.#input.autocomplete = 'off';
    this.#input.spellcheck = false;
    this.#rows.className = 'grid';
    this.#rows.ariaLabel = 'Results';
    this.#progress.ariaLabel = 'Names checked';
    this.#progress.hidden = true;

    // Announced by screen readers.
    this.#status.role = 'status';
    this.#reading.ariaLive = 'polite';
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [tileStyle, styles];
    root.append(this.#label, this.#reading, this.#progress, this.#status, this.#rows);
    this.#grid = new Grid(this.#rows, {
      newTile,
      dress,
      onSelected: (shown) => this.#select(shown),
      onRetry: (name) => void this.#run([{ domains: [name.domain] }], [name]),
      onLeave: () => this.#input.focus(),
    });
    this.#input.addEventListener('input', () => this.#searchSoon(pauseMs));
    this.#input.addEventListener('keydown', (event) => {
      if (event.isComposing || event.shiftKey || !/^(?:Enter|Escape)$/.test(event.key)) return;
      if (event.key === 'Escape') this.#input.value = '';
      event.preventDefault();
      this.#searchSoon(0);
    });
    this.#reading.addEventListener('click', ({ target }) => {
      const { example } = target.closest('[data-example]')?.dataset ?? {};
      if (example === undefined) return;
      this.#input.value = example;
      this.#input.focus();
      this.#searchSoon(0);
    });
  }

  connectedCallback() {
    this.#label.replaceChildren(this.getAttribute('label') ?? 'Domain name', this.#input);
    if (this.#rows.ariaBusy === 'true') this.#searchSoon(0); // It has only been moved.
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    this.#search.abort();
  }

  /**
   * Shows whether the names in a text are available, a label under each of `tlds`. Ends the search
   * before it, whose names that have not been sent are dropped.
   */
  async search(text) {
    this.#search.abort();
    this.#search = new AbortController();
    const { signal } = this.#search;

    this.#clear();
    if (text.trim() === '') return;

    this.#rows.ariaBusy = 'true';
    const read = await namesIn(text, (...query) => this.#query(...query, signal));
    if (signal.aborted) return;

    this.#explain(read);
    this.#rows.ariaBusy = String(read.names.length > 0);
    if (read.names.length === 0) return;

    const labels = read.names.filter(({ length }) => length === 1).map(([label]) => label);
    const tlds = labels.length > 0 ? this.#tlds : [];
    const listed = (await Promise.all(tlds.map((tld) => this.#tldsOf(tld)))).flat();

    if (signal.aborted) return;

    const names = tiledNames(read, listed);
    this.#grid.add(names);

    // Without the TLDs of a set, only the gateway knows the names of a label.
    const areUnknown = labels.length === 1 || listed.length === 0;
    const requests = areUnknown ? labels.map((name) => ({ name, tlds })) : [];
    const rest = names.filter(({ isFull }) => isFull || !areUnknown);

    for (let at = 0; at < rest.length; at += batchSize)
      requests.push({ domains: rest.slice(at, at + batchSize).map(({ domain }) => domain) });
    await this.#run(requests, names);
  }

  #searchSoon(delayMs) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.search(this.#input.value), delayMs);
  }

  /** Says how a text was read, or why nothing is looked up. */
  #explain({ line, isInvalid = false }) {
    this.#reading.replaceChildren(...line);
    this.#reading.classList.toggle('invalid', isInvalid);
    this.#input.ariaInvalid = String(isInvalid);
  }

  get #gateway() {
    return this.getAttribute('gateway') ?? location.origin;
  }

  get #apiKey() {
    return this.getAttribute('api-key') ?? undefined;
  }

  get #tlds() {
    return (this.getAttribute('tlds')?.trim() || '@popular').split(/[\s,]+/);
  }

  /** Sends the requests of a search for names in the grid. */
  async #run(requests, names) {
    const { signal } = this.#search;
    const byDomain = new Map(names.map((name) => [name.domain, name]));
    for (const name of names) this.#grid.fill(name, { status: 'PENDING' });
    this.#rows.ariaBusy = 'true';
    this.#progress.hidden = false;

    const client = new GatewayClient(this.#gateway, { apiKey: this.#apiKey });
    const receive = async (request) => {
      for await (const row of client.search(request, { confirm: 'AVAILABLE', signal }))
        this.#show(byDomain.get(row.domain) ?? this.#newName(row), row, names.length);
    };

    const ended = await Promise.allSettled(requests.map(receive));
    if (signal.aborted) return;

    const { reason } = ended.find(({ status }) => status === 'rejected') ?? {};
    if (reason && !(reason instanceof GatewayError)) throw reason;

    const rows = [...this.#results.values()];
    const available = rows.filter((row) => row.available).length;
    const counted = rows.length === 1 ? 'name is' : 'names are';

    if (reason && rows.length === 0) this.#grid.clear();
    this.#status.textContent =
      reason?.detail ?? `${available} of ${rows.length} ${counted} available.`;
    for (const name of names.filter((each) => !this.#results.has(each)))
      this.#grid.fill(name, { status: 'UNANSWERED' });
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
    this.#reading.replaceChildren();
    this.#input.ariaInvalid = 'false';
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
    const { data } = await this.#query(setQuery, { set });
    return data.tlds.nodes.map(({ label }) => label);
  }

  async #query(query, variables, signal) {
    const key = this.#apiKey;
    const response = await fetch(`${this.#gateway.replace(/\/$/, '')}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
      body: JSON.stringify({ query, variables }),
      signal,
    });

    return response.json();
  }
}

const plainName = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u;
const unread =
  'What reads lists and links could not be loaded. Type a single name, try again, or reload the page.';

/** Reads a text as `namesIn` of the reader does; without it, only a plain name. */
async function namesIn(text, runQuery) {
  const reader = await loadReader().catch(() => undefined);
  if (reader) return reader.namesIn(text, runQuery);
  const name = text.trim().toLowerCase();
  return plainName.test(name)
    ? { names: [name.split('.')], line: [] }
    : { names: [], line: [unread], isInvalid: true };
}

let attempts = 0;
let loading;

/**
 * Loads what reads texts, with the first one. Browsers remember that an address failed to load, so
 * another attempt has another one.
 */
function loadReader() {
  if (loading) return loading;
  const again = `./domain-search-text.js?${attempts}`;
  loading = attempts === 0 ? import('./domain-search-text.js') : import(/* @vite-ignore */ again);
  attempts += 1;
  loading.catch(() => (loading = undefined));
  return loading;
}

if (globalThis.customElements && !customElements.get('domain-search'))
  customElements.define('domain-search', DomainSearch);
