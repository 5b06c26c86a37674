import type { DomainName } from '../domain/domain-name.ts';

/** How far the work on the names of an operation has come. */
export interface Progress {
  /** Names that got a verdict. */
  readonly answered: ReadonlySet<DomainName>;
  /** Names that were asked of a registry. */
  readonly sent: ReadonlySet<DomainName>;
}
