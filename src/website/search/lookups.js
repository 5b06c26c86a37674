// The lookups of one search.
import { subscribe } from './gateway.js';
import { groupOf, mayBeRetried, offerFields } from './verdicts.js';

const query = `subscription Search($name: String, $tlds: [String!], $domains: [String!]) {
  availability(name: $name, tlds: $tlds, domains: $domains, confirm: AVAILABLE) {
    domain unicodeName tld status didYouMean confidence problem { code detail } cautions { code detail }
    ${offerFields}
  }
}`;
const batchSize = 100;

/**
 * Looks up names, and reports each row when it arrives. A name has a `domain`, as A-labels. One
 * with a `search`, the label that is searched under many TLDs, is looked up together with the
 * others of the same label, which costs less.
 */
export class Lookups {
  #callbacks;
  #controller = new AbortController();
  #names = [];
  #rows = new Map();
  #openBatches = new Set();

  /** `callbacks`: `onStarted(names)`, `onRow(name, row)`, `onChange()`, `onSettled()`, `onError(error)`. */
  constructor(callbacks) {
    this.#callbacks = callbacks;
  }

  get isBusy() {
    return this.#openBatches.size > 0;
  }

  /** The names without a row. */
  get missing() {
    return this.#names.filter((name) => !this.#rows.has(name));
  }

  /**
   * Returns the result of names: the `counts` of those that are available, taken, reserved and
   * unknown, the `total`, those `missing`, and whether a search `isBusy`.
   */
  resultOf(names) {
    const counts = { available: 0, taken: 0, reserved: 0, unknown: 0 };
    const missing = names.filter((name) => !this.#rows.has(name));
    for (const name of names) if (this.#rows.has(name)) counts[groupOf(this.#rows.get(name))] += 1;
    return { counts, total: names.length, missing, isBusy: this.isBusy };
  }

  /** Whether lookups have failed and none has succeeded. */
  get haveAllFailed() {
    const rows = [...this.#rows.values()];
    return rows.length > 0 && rows.every(mayBeRetried);
  }

  row(name) {
    return this.#rows.get(name);
  }

  /** Adds names to the search. */
  add(names) {
    this.#names.push(...names);
    this.#start(names);
  }

  /** Looks up the names again that have no answer, or one of them; the others keep theirs. */
  retry(only) {
    for (const [name, row] of this.#rows)
      if (only ? name === only : mayBeRetried(row)) this.#rows.delete(name);
    this.#start(only ? [only] : this.missing);
  }

  /** Ends the search. The gateway then cancels its lookups that have not been sent. */
  abort() {
    this.#controller.abort();
  }

  #start(names) {
    this.#callbacks.onStarted(names);
    for (const group of Map.groupBy(names, ({ search }) => search).values())
      for (let at = 0; at < group.length; at += batchSize)
        void this.#run(group.slice(at, at + batchSize), this.#controller);
    this.#callbacks.onChange();
  }

  async #run(names, controller) {
    const batch = {};
    this.#openBatches.add(batch);
    let error;
    try {
      const [{ search }] = names;
      const key = search === undefined ? 'domain' : 'tld';
      const keys = names.map((name) => name[key]);
      const variables = search === undefined ? { domains: keys } : { name: search, tlds: keys };
      for await (const { data } of subscribe(query, variables, controller.signal)) {
        const row = data.availability;
        const name = names[keys.indexOf(row[key])];
        if (!name) continue;
        this.#rows.set(name, row);
        this.#callbacks.onRow(name, row);
        this.#callbacks.onChange();
      }
    } catch (caught) {
      error = caught;
    }

    this.#openBatches.delete(batch);
    if (controller.signal.aborted) return;

    // The other batches would fail for the same reason.
    if (error) {
      controller.abort();
      this.#controller = new AbortController();
      this.#openBatches.clear();
      this.#callbacks.onError(error);
    } else if (!this.isBusy) this.#callbacks.onSettled();
  }
}
