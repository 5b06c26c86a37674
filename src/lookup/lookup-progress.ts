import type { DomainName } from '../domain/domain-name.ts';

/** The progress of an operation, by name. */
export interface Progress {
  /** Names with a verdict. */
  readonly answered: ReadonlySet<DomainName>;
  /** Names with a verdict from a source that has no records. */
  readonly withoutRecord: ReadonlySet<DomainName>;
  /**
   * Names whose row was PENDING when the time budget ended. Their lookups continue unless the
   * client disconnects before they are sent.
   */
  readonly pending: ReadonlySet<DomainName>;
  /** Names whose lookup was sent to a registry. */
  readonly sent: ReadonlySet<DomainName>;
  /**
   * Names whose lookup was sent, or is pending, for this operation, not for another one that it
   * joined.
   */
  readonly queried: ReadonlySet<DomainName>;
  /** Names whose cached answer satisfies the query, so that no registry is queried. */
  readonly stored: ReadonlySet<DomainName>;
}

/** Records the progress of an operation. */
export class LookupProgress implements Progress {
  readonly answered = new Set<DomainName>();
  readonly withoutRecord = new Set<DomainName>();
  readonly pending = new Set<DomainName>();
  readonly sent = new Set<DomainName>();
  readonly queried = new Set<DomainName>();
  readonly stored = new Set<DomainName>();
  readonly #joined = new Set<DomainName>();

  recordSent(name: DomainName, joined: boolean): void {
    this.sent.add(name);
    if (!joined) this.queried.add(name);
  }

  recordJoined(name: DomainName): void {
    this.#joined.add(name);
  }

  recordPending(name: DomainName): void {
    this.pending.add(name);
    // Its lookup may be sent after the operation is settled.
    if (!this.#joined.has(name)) this.queried.add(name);
  }
}
