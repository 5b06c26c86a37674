import type { Resolver } from 'node:dns/promises';
import { nameOf } from './record-texts.ts';
import { queryResult, recordsIn } from './query-result.ts';

const maxAliases = 10;

/** What follows from the CNAME records of a name. */
interface Aliases {
  /** The targets in the order in which they are followed, at most ten. */
  readonly targets: readonly string[];
  /** The name has no records and no names under it (NXDOMAIN). */
  readonly isMissing: boolean;
}

/** Follows CNAME records one by one: `node:dns` returns the first of a chain only. */
export async function followAliases(resolver: Resolver, name: string): Promise<Aliases> {
  const targets: string[] = [];
  for (let owner = name; targets.length < maxAliases;) {
    const result = await queryResult(resolver.resolveCname(owner), owner);
    if (targets.length === 0 && result === 'missing') return { targets, isMissing: true };
    const [target] = recordsIn(result);
    if (!target) break;
    owner = nameOf(target);
    if (owner === name || targets.includes(owner)) break;
    targets.push(owner);
  }
  return { targets, isMissing: false };
}
