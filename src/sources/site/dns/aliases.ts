import type { Resolver } from 'node:dns/promises';
import { nameOf } from './record-texts.ts';
import { resolved } from './resolve.ts';

const maxAliases = 10;

export interface Aliases {
  /** The targets in the order in which they are followed, at most ten. */
  readonly targets: readonly string[];
  /** The name has no records and no names under it (NXDOMAIN). */
  readonly isMissing: boolean;
}

/** Follows CNAME records one by one: `node:dns` returns the first of a chain only. */
export async function followAliases(resolver: Resolver, name: string): Promise<Aliases> {
  const targets: string[] = [];
  for (let owner = name; targets.length < maxAliases;) {
    const answer = await resolved(resolver.resolveCname(owner), owner);
    if (targets.length === 0 && answer === 'missing') return { targets, isMissing: true };
    const target = typeof answer === 'object' ? answer.records[0] : undefined;
    if (!target) break;
    owner = nameOf(target);
    if (owner === name || targets.includes(owner)) break;
    targets.push(owner);
  }
  return { targets, isMissing: false };
}
