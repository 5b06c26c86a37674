import { describe, expect, it } from 'vitest';
import { createLanes } from '../../src/registries/lanes.ts';
import { createBackoffs } from '../support/backoffs.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openLane, settled, unlimited } from '../support/open-lane.ts';

describe('a lane', () => {
  it('lets so many be in flight, and the next go when one is back', async () => {
    const lane = openLane({ concurrency: 2 });
    lane.enterAll('a b c d');
    await settled();
    expect(lane.sent).toEqual(['a', 'b']);
    lane.end('b');
    await settled();
    expect(lane.sent).toEqual(['a', 'b', 'c']);
  });

  it('lets the next go while an answer is read, and says whether there is one', async () => {
    const lane = openLane({ concurrency: 1 });
    lane.enterAll('a b');
    await settled();
    expect(lane.answered('a')).toBe(true);
    await settled();
    expect(lane.sent).toEqual(['a', 'b']);
    expect(lane.answered('b')).toBe(false);
  });

  it('lets a burst go at once, and then so many a second', async () => {
    const lane = openLane({ rate: 2, burst: 3 });
    lane.enterAll('a b c d e f');
    await settled();
    expect(lane.sent).toEqual(['a', 'b', 'c']);
    lane.clock.advance(499);
    await settled();
    expect(lane.sent).toHaveLength(3);
    lane.clock.advance(1);
    await settled();
    expect(lane.sent).toHaveLength(4);
    lane.clock.advance(1000);
    await settled();
    expect(lane.sent).toHaveLength(6);
  });

  it('saves up no more than a burst', async () => {
    const lane = openLane({ rate: 2, burst: 3 });
    lane.clock.advance(3_600_000);
    lane.enterAll('a b c d');
    await settled();
    expect(lane.sent).toHaveLength(3);
  });

  it('sets no limit of its own at rate 0', async () => {
    const lane = openLane({ rate: 0, burst: 0 });
    lane.enterAll(Array.from({ length: 1000 }, (_, index) => String(index)).join(' '));
    await settled();
    expect(lane.sent).toHaveLength(1000);
  });
});

describe('a host that says "later"', () => {
  it('is left alone by everybody until then', async () => {
    const lane = openLane({ concurrency: 1 });
    lane.enterAll('a b');
    await settled();
    lane.end('a', 5);
    void lane.enter('c', { account: 'bob' });
    lane.clock.advance(4999);
    await settled();
    expect(lane.sent).toEqual(['a']);
    lane.clock.advance(1);
    await settled();
    expect(lane.sent).toEqual(['a', 'b']);
  });

  it('is not made to speak sooner by a later, shorter word', async () => {
    const lane = openLane({ concurrency: 2 });
    lane.enterAll('a b c');
    await settled();
    lane.end('a', 5);
    lane.end('b', 1);
    lane.clock.advance(4999);
    await settled();
    expect(lane.sent).toEqual(['a', 'b']);
    lane.clock.advance(1);
    await settled();
    expect(lane.sent).toEqual(['a', 'b', 'c']);
  });

  it('turns those away at once, waiting or new, who cannot wait so long', async () => {
    const lane = openLane({ concurrency: 1 });
    void lane.enter('a');
    void lane.enter('b', { patience: 2000 });
    await settled();
    lane.end('a', 5);
    void lane.enter('c', { patience: 4999 });
    void lane.enter('d', { patience: 5000 });
    await settled();
    expect(lane.refused).toEqual(['b: registry_busy, 5 s', 'c: registry_busy, 5 s']);
    lane.clock.advance(5000);
    await settled();
    expect(lane.sent).toEqual(['a', 'd']);
  });

  it('is one host for all TLDs that it serves, and no other', async () => {
    const clock = manualClock();
    const { registry } = createLanes({ limitsOf: () => unlimited, clock, backoffs: createBackoffs(clock) });
    const lane = registry('https://rdap.test/com/');
    expect(registry('https://rdap.test/net/v1/')).toBe(lane);
    for (const other of ['http://rdap.test/', 'https://rdap.test:8443/', 'https://other.test/']) expect(registry(other)).not.toBe(lane);
  });
});

describe('an asker', () => {
  it('who leaves gives his place back', async () => {
    const lane = openLane({ rate: 1, burst: 1 });
    const leaver = new AbortController();
    void lane.enter('a');
    void lane.enter('b', { signal: leaver.signal });
    void lane.enter('c', { patience: 2000 });
    leaver.abort();
    lane.clock.advance(1000);
    await settled();
    expect(lane.sent).toEqual(['a', 'c']);
    expect(lane.refused).toEqual([expect.stringMatching(/^b: registry_busy/)]);
  });

  it('who has left is not sent', async () => {
    const lane = openLane({});
    void lane.enter('a', { signal: AbortSignal.abort() });
    await settled();
    expect([lane.sent, lane.refused.length]).toEqual([[], 1]);
  });

  it('whose turn cannot come in time is told so at once, with the time to come back', async () => {
    const lane = openLane({ rate: 1, burst: 1 });
    lane.enterAll('a b c d', { patience: 2000 });
    await settled();
    expect(lane.refused).toEqual(['d: registry_busy, 3 s']);
    lane.clock.advance(2000);
    await settled();
    expect(lane.sent).toEqual(['a', 'b', 'c']);
  });

  it('whose time passes while he waits is told so then', async () => {
    const lane = openLane({ concurrency: 1 });
    void lane.enter('a');
    void lane.enter('b', { patience: 2000 });
    lane.clock.advance(2000);
    await settled();
    expect(lane.refused).toEqual([]);
    lane.clock.advance(1);
    await settled();
    expect(lane.refused).toEqual([expect.stringMatching(/^b: registry_busy/)]);
    lane.end('a');
    await settled();
    expect(lane.sent).toEqual(['a']);
  });
});
