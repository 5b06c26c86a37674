import type { Problem } from './problems.ts';
import type { SplitName } from './domain-name.ts';
import type { Registry } from './source.ts';

/** Finds the registry of a name. */
export interface Directory {
  resolve(name: SplitName): Resolution;
}

/** The registry of a name, or why there is none: `invalid_name` or `unsupported_tld`. */
export type Resolution = { readonly registry: Registry } | { readonly problem: Problem };
