import { parse } from 'tldts';
import { tldOf } from '../../domain/names/domain-name.ts';
import type { LifeCycle } from '../../domain/timeline.ts';
import table from './lifecycles.json' with { type: 'json' };
import { forTlds } from './tld-list.ts';

/** What `npm run policies -- --life-cycle` takes from registries and registrars, by TLD. */
const byTld: ReadonlyMap<string, LifeCycle> = new Map(
  table.cycles.flatMap(({ tlds, ...cycle }) => forTlds(tlds, cycle)),
);

/**
 * Returns the periods of names under a suffix; undefined if none are documented. Suffixes that
 * someone else than the registry of the TLD operates, such as `uk.com`, have their own.
 */
export function lifeCycleOf(suffix: string): LifeCycle | undefined {
  const tld = tldOf(suffix);
  const cycle = byTld.get(tld);
  if (!cycle || suffix === tld || tld === 'test') return cycle;

  const { isIcann, publicSuffix } = parse(suffix, { allowPrivateDomains: false });
  return isIcann && publicSuffix === suffix ? cycle : undefined;
}
