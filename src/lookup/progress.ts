import type { DomainName } from '../domain/domain-name.ts';

/** How far the work on the names of an operation has come. */
export interface Progress {
  /** Names that got a verdict. */
  readonly answered: ReadonlySet<DomainName>;
  /** Names whose row was PENDING when the time budget ended. Their lookups continue unless the client disconnects before they are sent. */
  readonly pending: ReadonlySet<DomainName>;
  /** Names that were asked of a registry. */
  readonly sent: ReadonlySet<DomainName>;
  /** Names whose lookup was sent, or is pending, for this operation, and not for another that it joined. */
  readonly queried: ReadonlySet<DomainName>;
  /** Names whose stored answer is good enough: no registry will be queried for them. */
  readonly stored: Pick<ReadonlySet<DomainName>, 'has'>;
}
