/** Far more than there are TLDs: the number of counters is bounded, whatever names are looked up. */
const maxTlds = 5000;

/** Counts answers by TLD. Metrics do not have this label, because there are 1,500 TLDs. */
export class AnswerCounts {
  /** By TLD, and for `All`: how many had a `verdict`, and how many had none, by reason. */
  readonly byTld = new Map<string, Record<string, number>>();

  /** Counts the answer about a name under a suffix: a `verdict`, or the reason why it has none. */
  record(suffix: string, outcome: string): void {
    for (const tld of ['All', suffix.slice(suffix.lastIndexOf('.') + 1)]) {
      const counts = this.byTld.get(tld) ?? {};
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      if (this.byTld.size < maxTlds) this.byTld.set(tld, counts);
    }
  }
}
