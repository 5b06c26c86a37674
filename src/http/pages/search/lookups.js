// The lookups of one search.
import { subscribe } from './gateway.js';
import { groupOf, mayBeRetried } from './verdicts.js';

const query = `subscription Search($name: String!, $tlds: [String!]!) {
  availability(name: $name, tlds: $tlds, confirm: AVAILABLE) { tld status reason }
}`;
const batchSize = 100;

/** Looks up a label under TLDs, and reports each row when it arrives. */
export class Lookups {
  #label;
  #callbacks;
  #controller = new AbortController();
  #tlds = [];
  #rows = new Map();
  #openBatches = new Set();

  /** `callbacks`: `onStarted(tlds)`, `onRow(row)`, `onChange()`, `onSettled()` and `onError(error)`. */
  constructor(label, callbacks) {
    this.#label = label;
    this.#callbacks = callbacks;
  }

  get isBusy() {
    return this.#openBatches.size > 0;
  }

  get total() {
    return this.#tlds.length;
  }

  /** The TLDs without a row. */
  get missing() {
    return this.#tlds.filter((tld) => !this.#rows.has(tld));
  }

  /** Returns how many rows count as available, taken, reserved and unknown. */
  get counts() {
    const counts = { available: 0, taken: 0, reserved: 0, unknown: 0 };
    for (const { status } of this.#rows.values()) counts[groupOf(status)] += 1;
    return counts;
  }

  /** Whether lookups have failed and none has succeeded. */
  get haveAllFailed() {
    const rows = [...this.#rows.values()];
    return rows.length > 0 && rows.every(mayBeRetried);
  }

  row(tld) {
    return this.#rows.get(tld);
  }

  /** Adds TLDs to the search. */
  add(tlds) {
    this.#tlds.push(...tlds);
    this.#start(tlds);
  }

  /** Looks up the names again that have no answer; the others keep theirs. */
  retry() {
    for (const [tld, row] of this.#rows) if (mayBeRetried(row)) this.#rows.delete(tld);
    this.#start(this.missing);
  }

  /** Ends the search. The gateway then cancels its lookups that have not been sent. */
  abort() {
    this.#controller.abort();
  }

  #start(tlds) {
    this.#callbacks.onStarted(tlds);
    for (let at = 0; at < tlds.length; at += batchSize)
      void this.#run(tlds.slice(at, at + batchSize), this.#controller);
    this.#callbacks.onChange();
  }

  async #run(tlds, controller) {
    const batch = {};
    this.#openBatches.add(batch);
    let error;
    try {
      const variables = { name: this.#label, tlds };
      for await (const { data } of subscribe(query, variables, controller.signal)) {
        this.#rows.set(data.availability.tld, data.availability);
        this.#callbacks.onRow(data.availability);
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
