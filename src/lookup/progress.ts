import type { DomainName } from '../domain/domain-name.ts';

/** How far the work on the names of an operation has come. */
export interface Progress {
  /** Names that got a verdict. */
  readonly answered: ReadonlySet<DomainName>;
  /** Names that were asked of a registry. */
  readonly sent: ReadonlySet<DomainName>;
  /** Those of them whose lookup was sent for this operation, not before it by another that it joined. */
  readonly queried: ReadonlySet<DomainName>;
  /** Names whose stored answer is good enough: no registry will be queried for them. */
  readonly stored: Pick<ReadonlySet<DomainName>, 'has'>;
}
