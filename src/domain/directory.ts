import type { Problem } from './problems.ts';
import type { DomainName } from './domain-name.ts';
import type { Registry } from './source.ts';

/** Knows who answers for which names. */
export interface Directory {
  resolve(name: DomainName): Resolution;
}

/** Who answers for a name, or why nobody does: `invalid_name` or `unsupported_tld`. */
export type Resolution = { readonly registry: Registry } | { readonly problem: Problem };
