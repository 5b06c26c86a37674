// The custom element <domain-search>, in the npm package as `rdap-graphql-gateway/domain-search`: a
// search box on the client beside it. Files for browsers are JavaScript, as in `src/website/`.
import { GatewayClient, GatewayError } from './client.js';

const styles = new CSSStyleSheet();
styles.replaceSync(`
  :host { display: block; font: inherit; }
  label { display: grid; gap: 0.25rem; }
  input { font: inherit; padding: 0.5em 0.75em; }
  ul { list-style: none; margin: 0; padding: 0; }
  li { display: flex; justify-content: space-between; gap: 1rem; padding: 0.25rem 0; }
  li[data-available="true"] { font-weight: bold; }
`);

/** A search starts when the user has not typed for this time. */
const pauseMs = 200;

/**
 * Attributes: `gateway` (address; by default, the origin of the page), `tlds` (TLDs and sets, separated
 * by spaces), `label` and `api-key`. Fires `domain-result` with each result as its `detail`.
 */
class DomainSearch extends HTMLElement {
  #label = document.createElement('label');
  #input = document.createElement('input');
  #rows = document.createElement('ul');
  #status = document.createElement('p');
  /** Aborts the search in progress. */
  #search = new AbortController();
  #timer;

  constructor() {
    super();
    this.#input.type = 'search';
    this.#input.autocomplete = 'off';
    this.#input.spellcheck = false;
    this.#input.part = 'input';
    this.#rows.part = 'rows';
    this.#status.part = 'status';
    // Announced by screen readers.
    this.#status.role = 'status';
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [styles];
    root.append(this.#label, this.#status, this.#rows);
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
    this.#rows.replaceChildren();
    this.#rows.ariaBusy = String(name !== '');
    this.#status.textContent = '';
    if (name === '') return;
    const tlds = (this.getAttribute('tlds') ?? '@popular').trim().split(/[\s,]+/);
    const apiKey = this.getAttribute('api-key') ?? undefined;
    const client = new GatewayClient(this.getAttribute('gateway') ?? location.origin, { apiKey });
    let available = 0;
    try {
      const searched = name.includes('.') ? { domains: [name] } : { name, tlds };
      for await (const row of client.search(searched, { confirm: 'AVAILABLE', signal })) {
        if (row.available) available++;
        this.#show(row);
      }
      const total = this.#rows.childElementCount;
      const names = total === 1 ? 'name is' : 'names are';
      this.#status.textContent = `${available} of ${total} ${names} available.`;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof GatewayError)) throw error;
      this.#status.textContent = error.detail;
    }
    this.#rows.ariaBusy = 'false';
  }

  #show(result) {
    const { unicodeName, available, confidence, cautions, problem } = result;
    const row = document.createElement('li');
    const verdict = document.createElement('span');
    row.part = 'row';
    row.dataset.available = String(available);
    const word = available === null ? 'unknown' : available ? 'available' : 'taken';
    const isLikely = confidence === 'HEURISTIC';
    const notes = cautions.map(({ detail }) => detail);
    verdict.textContent = [isLikely ? `likely ${word}` : word, ...notes].join(' – ');
    if (problem) verdict.title = problem.detail;
    row.append(unicodeName, verdict);
    this.#rows.append(row);
    this.dispatchEvent(new CustomEvent('domain-result', { bubbles: true, detail: result }));
  }
}

if (!customElements.get('domain-search')) customElements.define('domain-search', DomainSearch);
