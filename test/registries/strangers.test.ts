import { beforeEach, describe, expect, it } from 'vitest';
import { parseDomainName } from '../../src/domain/domain-name.ts';
import type { Asker } from '../../src/domain/registry.ts';
import { Problem } from '../../src/problems.ts';
import type { LaneLimits } from '../../src/registries/allowance.ts';
import type { Lane } from '../../src/registries/lane.ts';
import { createLanes, type Lanes } from '../../src/registries/lanes.ts';
import { createBackoffs } from '../support/backoffs.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';
import { unlimited } from '../support/open-lane.ts';

const minute = 60_000;
const hour = 60 * minute;
const url = 'https://stranger.test/rdap/';

let clock: ManualClock;
beforeEach(() => (clock = manualClock()));

/** The host has these limits, all others have none. */
function open(limits: Partial<LaneLimits> = {}): Lanes {
  const limitsOf = (host: string) => (host === new URL(url).host ? { ...unlimited, ...limits } : unlimited);
  return createLanes({ limitsOf, clock, backoffs: createBackoffs(clock) });
}

/** Comes for a turn, and does not wait. */
function come(lane: Lane): ReturnType<Lane['enter']> {
  const asker: Asker = { signal: new AbortController().signal, sendBy: clock.now(), account: 'alice', kind: 'single' };
  const turn = lane.enter(parseDomainName('name.test'), asker);
  clock.advance(1);
  return turn;
}

async function ask(lane: Lane): Promise<void> {
  const turn = await come(lane);
  if (turn instanceof Problem) throw turn;
  turn.end({});
}

/** So much later somebody else is asked, whom nobody has asked before. */
async function later(lanes: Lanes, ms: number): Promise<void> {
  clock.advance(ms);
  await ask(lanes.stranger(`https://${clock.now()}.test/`));
}

describe('a host that an answer named', () => {
  it('is known for as long as it is asked now and then, and forgotten ten minutes later', async () => {
    const lanes = open();
    for (let times = 0; times < 5; times += 1) {
      await ask(lanes.stranger(url));
      await later(lanes, 9 * minute);
      expect(lanes.stranger(url).health().p50Ms).toBe(1);
    }
    await later(lanes, minute);
    expect(lanes.stranger(url).health().p50Ms).toBeNull();
  });

  it('is not forgotten where it is a registry’s too, whoever was first', async () => {
    const lanes = open();
    await ask(lanes.stranger(url));
    const registry = lanes.registry(url);
    await later(lanes, hour);
    expect([lanes.stranger(url), registry].map((lane) => lane.health().p50Ms)).toEqual([1, 1]);
  });

  it('has one lane, also for somebody who heard of it before it was forgotten', async () => {
    const lanes = open({ concurrency: 1 });
    const heardOf = lanes.stranger(url);
    await ask(heardOf);
    await later(lanes, hour);
    expect(await come(lanes.stranger(url))).not.toBeInstanceOf(Problem);
    expect(await come(heardOf)).toBeInstanceOf(Problem);
  });

  it.each([
    ['a burst that takes longer to come back', { rate: 1 / 3600, burst: 1 }, hour],
    ['a day’s requests that are sent', { perDay: 1 }, 24 * hour],
  ])('is not forgotten with %s', async (_what, limits, ms) => {
    const lanes = open(limits);
    await ask(lanes.stranger(url));
    await later(lanes, ms - minute);
    expect(await come(lanes.stranger(url))).toBeInstanceOf(Problem);
    await later(lanes, minute);
    await ask(lanes.stranger(url));
  });

  it('is not forgotten while it has a question to answer', async () => {
    const lanes = open({ concurrency: 1 });
    const turn = await come(lanes.stranger(url));
    await later(lanes, hour);
    expect(await come(lanes.stranger(url))).toBeInstanceOf(Problem);
    if (!(turn instanceof Problem)) turn.end({});
    await ask(lanes.stranger(url));
  });
});
