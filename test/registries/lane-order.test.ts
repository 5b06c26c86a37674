import { describe, expect, it } from 'vitest';
import type { AskerKind } from '../../src/domain/registry.ts';
import { openLane, settled } from '../support/open-lane.ts';

describe('the order', () => {
  it('is turn by turn between accounts, however many questions one has', async () => {
    const lane = openLane({ rate: 1, burst: 1 });
    void lane.enter('first', { account: 'dave' });
    lane.enterAll('a1 a2 a3 a4');
    lane.enterAll('b1 b2', { account: 'bob' });
    lane.enterAll('c1', { account: 'carol' });
    lane.clock.advance(10_000);
    await settled();
    expect(lane.sent).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('is single names before searches before bulk', async () => {
    const lane = openLane({ rate: 1, burst: 1 });
    const kinds: readonly AskerKind[] = ['bulk', 'bulk', 'search', 'search', 'single', 'single'];
    for (const [index, kind] of kinds.entries()) void lane.enter(`${kind}${index}`, { kind });
    lane.clock.advance(10_000);
    await settled();
    expect(lane.sent).toEqual(['bulk0', 'single4', 'single5', 'search2', 'search3', 'bulk1']);
  });

  it('is what was sent before, and is sent on or again, before all that was not', async () => {
    const lane = openLane({ rate: 1, burst: 1 });
    lane.enterAll('first s1', { kind: 'single' });
    lane.enterAll('on1 on2', { kind: 'bulk', answerBy: lane.clock.now() + 5000 });
    void lane.enter('on3', { account: 'bob', kind: 'single', answerBy: lane.clock.now() + 5000, patience: 2000 });
    lane.clock.advance(10_000);
    await settled();
    expect(lane.sent).toEqual(['first', 'on1', 'on3', 'on2', 's1']);
  });

  it('is reckoned with when it is told who cannot be sent in time', async () => {
    const lane = openLane({ rate: 1, burst: 1 });
    lane.enterAll('a1 a2 a3 a4 a5', { kind: 'search' });
    void lane.enter('b1', { account: 'bob', kind: 'search', patience: 2000 });
    void lane.enter('s1', { kind: 'single', patience: 1000 });
    void lane.enter('x1', { account: 'bob', kind: 'bulk', patience: 5000 });
    lane.clock.advance(10_000);
    await settled();
    expect(lane.sent).toEqual(['a1', 's1', 'b1', 'a2', 'a3', 'a4', 'a5']);
    expect(lane.refused).toEqual([expect.stringMatching(/^x1/)]);
  });
});
