import type { CoveredTld, Tld } from './catalogue.ts';
import { tldTypeOf } from './tld-sets.ts';

/**
 * Returns the TLDs whose names can be looked up: not longer suffixes, and not `test`, which is not
 * in the root zone (RFC 6761).
 */
export function coveredTlds(tlds: readonly Tld[]): readonly CoveredTld[] {
  return tlds
    .filter(({ label, sources }) => sources.length > 0 && !label.includes('.') && label !== 'test')
    .map((tld) => ({ ...tld, type: tldTypeOf(tld.label) }));
}
