import { baselinePart } from './baselines.ts';
import { isTaken, type Registries } from './registries.ts';
import type { SearchTimes } from './searching.ts';

/** A client library that looks a label up under many TLDs, in a process of its own. */
export interface Rival extends AsyncDisposable {
  search(label: string): Promise<SearchTimes>;
}

export const rivalNames = ['rdapper', 'node-rdap', '@cacheable/net'] as const;
export type RivalName = (typeof rivalNames)[number] | 'direct';

/** Of each name a verdict, null where there was none, and when it came. */
type RivalAnswer = readonly (readonly [available: boolean | null, atMs: number])[];

/** Starts a rival on the list of these registries. It asks each server so many things at once, at most. */
export async function startRival(
  name: RivalName,
  { bootstrapUrl, baseUrls }: Registries,
  cap: number,
): Promise<Rival> {
  const part = await baselinePart<string>('rival.mjs', name, bootstrapUrl, String(cap));
  return {
    async search(label) {
      const domains = Array.from(baseUrls.keys(), (tld) => `${label}.${tld}`);
      const answers = await part.ask<RivalAnswer>({ domains, servers: [...baseUrls.values()] });
      const times = answers.map(([, atMs]) => atMs);
      const verdicts = answers.map(([available], index) => ({
        available,
        taken: isTaken(domains[index] ?? ''),
      }));
      return {
        first: Math.min(...times),
        last: Math.max(...times),
        wrong: verdicts.filter(({ available, taken }) => available === taken).length,
        unknown: verdicts.filter(({ available }) => available === null).length,
      };
    },
    [Symbol.asyncDispose]: () => part[Symbol.asyncDispose](),
  };
}
