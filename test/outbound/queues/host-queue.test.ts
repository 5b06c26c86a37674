import { describe, expect, it } from 'vitest';
import { openQueue, settled } from '../../support/stores/open-queue.ts';

describe('a host queue', () => {
  it('limits the requests in flight, and sends the next when one ends', async () => {
    const queue = openQueue({ concurrency: 2 });
    queue.addAll('a b c d');
    await settled();
    expect(queue.sent).toEqual(['a', 'b']);
    queue.end('b');
    await settled();
    expect(queue.sent).toEqual(['a', 'b', 'c']);
  });

  it('sends the next request before a response is parsed, and reports whether it sent one', async () => {
    const queue = openQueue({ concurrency: 1 });
    queue.addAll('a b');
    await settled();
    expect(queue.responded('a')).toBe(true);
    await settled();
    expect(queue.sent).toEqual(['a', 'b']);
    expect(queue.responded('b')).toBe(false);
  });

  it('sends a burst immediately, and then the sustained rate', async () => {
    const queue = openQueue({ rate: 2, burst: 3 });
    queue.addAll('a b c d e f');
    await settled();
    expect(queue.sent).toEqual(['a', 'b', 'c']);
    queue.clock.advance(499);
    await settled();
    expect(queue.sent).toHaveLength(3);
    queue.clock.advance(1);
    await settled();
    expect(queue.sent).toHaveLength(4);
    queue.clock.advance(1000);
    await settled();
    expect(queue.sent).toHaveLength(6);
  });

  it('saves up at most one burst', async () => {
    const queue = openQueue({ rate: 2, burst: 3 });
    queue.clock.advance(3_600_000);
    queue.addAll('a b c d');
    await settled();
    expect(queue.sent).toHaveLength(3);
  });

  it('sends at a rate below one per second', async () => {
    const queue = openQueue({ rate: 0.25, burst: 1 });
    queue.addAll('a b');
    queue.clock.advance(3999);
    await settled();
    expect(queue.sent).toEqual(['a']);
    queue.clock.advance(1);
    await settled();
    expect(queue.sent).toEqual(['a', 'b']);
  });

  it('sets no rate limit at rate 0', async () => {
    const queue = openQueue({ rate: 0, burst: 0 });
    queue.addAll(Array.from({ length: 1000 }, (_, index) => String(index)).join(' '));
    await settled();
    expect(queue.sent).toHaveLength(1000);
  });
});

describe('a host that returns Retry-After', () => {
  it('receives no requests until then, from any caller', async () => {
    const queue = openQueue({ concurrency: 1 });
    queue.addAll('a b');
    await settled();
    queue.end('a', 5);
    void queue.add('c', { account: 'bob' });
    queue.clock.advance(4999);
    await settled();
    expect(queue.sent).toEqual(['a']);
    queue.clock.advance(1);
    await settled();
    expect(queue.sent).toEqual(['a', 'b']);
  });

  it('receives no requests earlier because of a later, shorter Retry-After', async () => {
    const queue = openQueue({ concurrency: 2 });
    queue.addAll('a b c');
    await settled();
    queue.end('a', 5);
    queue.end('b', 1);
    queue.clock.advance(4999);
    await settled();
    expect(queue.sent).toEqual(['a', 'b']);
    queue.clock.advance(1);
    await settled();
    expect(queue.sent).toEqual(['a', 'b', 'c']);
  });

  it('causes queued and new requests with an earlier deadline to be rejected immediately', async () => {
    const queue = openQueue({ concurrency: 1 });
    void queue.add('a');
    void queue.add('b', { waitMs: 2000 });
    await settled();
    queue.end('a', 5);
    void queue.add('c', { waitMs: 4999 });
    void queue.add('d', { waitMs: 5000 });
    await settled();
    expect(queue.rejected).toEqual(['b: registry_busy, 5 s', 'c: registry_busy, 5 s']);
    queue.clock.advance(5000);
    await settled();
    expect(queue.sent).toEqual(['a', 'd']);
  });
});

describe('a queued request', () => {
  it('is removed when its caller disconnects', async () => {
    const queue = openQueue({ rate: 1, burst: 1 });
    const caller = new AbortController();
    void queue.add('a');
    void queue.add('b', { signal: caller.signal });
    void queue.add('c', { waitMs: 2000 });
    caller.abort();
    queue.clock.advance(1000);
    await settled();
    expect(queue.sent).toEqual(['a', 'c']);
    expect(queue.rejected).toEqual([expect.stringMatching(/^b: registry_busy/)]);
  });

  it('is not sent if its caller has already disconnected', async () => {
    const queue = openQueue({});
    void queue.add('a', { signal: AbortSignal.abort() });
    await settled();
    expect([queue.sent, queue.rejected.length]).toEqual([[], 1]);
  });

  it('is rejected immediately, with Retry-After, if it cannot be sent in time', async () => {
    const queue = openQueue({ rate: 1, burst: 1 });
    queue.addAll('a b c d', { waitMs: 2000 });
    await settled();
    expect(queue.rejected).toEqual(['d: registry_busy, 3 s']);
    queue.clock.advance(2000);
    await settled();
    expect(queue.sent).toEqual(['a', 'b', 'c']);
  });

  it('is rejected when its deadline passes in the queue', async () => {
    const queue = openQueue({ concurrency: 1 });
    void queue.add('a');
    void queue.add('b', { waitMs: 2000 });
    queue.clock.advance(2000);
    await settled();
    expect(queue.rejected).toEqual([]);
    queue.clock.advance(1);
    await settled();
    expect(queue.rejected).toEqual([expect.stringMatching(/^b: registry_busy/)]);
    queue.end('a');
    await settled();
    expect(queue.sent).toEqual(['a']);
  });
});
