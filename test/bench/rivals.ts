import { baselinePart } from './baselines.ts';
import { isTaken, type Registries } from './servers/registries.ts';
import type { SearchTimes } from './searching.ts';

/** When the rows of a search arrived, and how many had a wrong verdict or none. */
export type RivalTimes = Omit<SearchTimes, 'half' | 'reasons'>;

/** A client library that looks up a label under many TLDs, in a separate process. */
export interface Rival extends AsyncDisposable {
  readonly pid: number;
  search(label: string): Promise<RivalTimes>;
}

/** The libraries. */
export const rivalNames = ['rdapper', 'node-rdap', '@cacheable/net'] as const;
/** Those that query WHOIS servers: a library, and the command of Debian. */
export type WhoisRivalName = 'whoiser' | 'whois';
export type RivalName = (typeof rivalNames)[number] | WhoisRivalName | 'direct' | 'floor';

/** For each name, the verdict, or null if there was none, and when it arrived. */
type RivalAnswer = readonly (readonly [available: boolean | null, atMs: number])[];

/** Starts a library with these registries and at most `cap` concurrent requests per server. */
export async function startRival(
  name: RivalName,
  { bootstrapUrl, baseUrls }: Pick<Registries, 'bootstrapUrl' | 'baseUrls'>,
  cap: number,
): Promise<Rival> {
  const childProcess = await baselinePart<string>('rival.mjs', name, bootstrapUrl, String(cap));
  return {
    pid: childProcess.pid,
    async search(label) {
      const domains = Array.from(baseUrls.keys(), (tld) => `${label}.${tld}`);
      const answers = await childProcess.request<RivalAnswer>({
        domains,
        servers: [...baseUrls.values()],
      });
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
    [Symbol.asyncDispose]: () => childProcess[Symbol.asyncDispose](),
  };
}
