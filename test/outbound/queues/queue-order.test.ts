import { describe, expect, it } from 'vitest';
import type { Priority } from '../../../src/domain/source.ts';
import { openQueue, settled } from '../../support/stores/open-queue.ts';

describe('a host queue', () => {
  it('alternates between accounts, regardless of how many requests each has', async () => {
    const queue = openQueue({ rate: 1, burst: 1 });
    void queue.add('first', { account: 'dave' });
    queue.addAll('a1 a2 a3 a4');
    queue.addAll('b1 b2', { account: 'bob' });
    queue.addAll('c1', { account: 'carol' });
    queue.clock.advance(10_000);
    await settled();
    expect(queue.sent).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('sends single names before searches before bulk requests', async () => {
    const queue = openQueue({ rate: 1, burst: 1 });
    const kinds: readonly Priority[] = ['bulk', 'bulk', 'search', 'search', 'single', 'single'];
    for (const [index, priority] of kinds.entries())
      void queue.add(`${priority}${index}`, { priority });
    queue.clock.advance(10_000);
    await settled();
    expect(queue.sent).toEqual(['bulk0', 'single4', 'single5', 'search2', 'search3', 'bulk1']);
  });

  it('sends redirected and retried requests before all others', async () => {
    const queue = openQueue({ rate: 1, burst: 1 });
    queue.addAll('first s1', { priority: 'single' });
    queue.addAll('on1 on2', { priority: 'bulk', responseDeadline: queue.clock.now() + 5000 });
    void queue.add('on3', {
      account: 'bob',
      priority: 'single',
      responseDeadline: queue.clock.now() + 5000,
      waitMs: 2000,
    });
    queue.clock.advance(10_000);
    await settled();
    expect(queue.sent).toEqual(['first', 'on1', 'on3', 'on2', 's1']);
  });

  it('takes the order into account when it rejects requests that cannot be sent in time', async () => {
    const queue = openQueue({ rate: 1, burst: 1 });
    queue.addAll('a1 a2 a3 a4 a5', { priority: 'search' });
    void queue.add('b1', { account: 'bob', priority: 'search', waitMs: 2000 });
    void queue.add('s1', { priority: 'single', waitMs: 1000 });
    void queue.add('x1', { account: 'bob', priority: 'bulk', waitMs: 5000 });
    queue.clock.advance(10_000);
    await settled();
    expect(queue.sent).toEqual(['a1', 's1', 'b1', 'a2', 'a3', 'a4', 'a5']);
    expect(queue.rejected).toEqual([expect.stringMatching(/^x1/)]);
  });
});
