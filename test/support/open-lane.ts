import type { DomainName } from '../../src/domain/domain-name.ts';
import { unanswered, type Answer, type Asker } from '../../src/domain/registry.ts';
import { Problem } from '../../src/problems.ts';
import type { LaneLimits } from '../../src/registries/allowance.ts';
import { createLane, type Turn } from '../../src/registries/lane.ts';
import { manualClock } from './manual-clock.ts';

const minute = 60_000;

/** A host that is never asked too much. */
export const unlimited: LaneLimits = { rate: 0, burst: 0, concurrency: Infinity };

/** A lane whose askers have names, with a clock of its own: `sent` tells who got a turn, in order, `refused` who was told to come later. */
export function openLane(limits: Partial<LaneLimits>) {
  const clock = manualClock();
  const lane = createLane({ host: 'rdap.test', limits: { ...unlimited, ...limits }, clock });
  const sent: string[] = [];
  const refused: string[] = [];
  const turns = new Map<string, Turn>();
  async function enter(name: string, { patience = minute, ...asker }: Partial<Asker> & { patience?: number } = {}): Promise<void> {
    const whole = {
      signal: new AbortController().signal,
      sendBy: clock.now() + patience,
      account: 'alice',
      kind: 'single',
      ...asker,
    } as const;
    const turn = await lane.enter(name as DomainName, whole);
    if (turn instanceof Problem) return void refused.push(`${name}: ${turn.code}, ${turn.retryAfter} s`);
    sent.push(name);
    turns.set(name, turn);
  }
  return {
    clock,
    sent,
    refused,
    enter,
    enterAll: (names: string, asker: Parameters<typeof enter>[1] = {}) => void names.split(' ').map((name) => enter(name, asker)),
    /** The answer is there, and is about to be read. */
    answered: (name: string) => turns.get(name)?.answered(),
    /** The answer is there; with a time, it is "later". */
    end: (name: string, retryAfter?: number) => turns.get(name)?.end(retryAfter === undefined ? found : busy(retryAfter)),
  };
}

const found: Answer = { verdict: 'REGISTERED', cached: false, stale: false };
const busy = (retryAfter: number) => ({ ...unanswered(new Problem('registry_busy', '', { retryAfter })), failure: 'busy' as const });

/** Lets promises that are settled be heard. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
