import { afterEach, expect, it, vi } from 'vitest';
import { streamedReply } from '../../src/http/graphql-response.ts';

afterEach(() => void vi.useRealTimers());

it('a stream of events that is quiet says so again and again, so that no proxy closes it, and stops when it ends', async () => {
  vi.useFakeTimers();
  const row = Promise.withResolvers<string>();
  async function* results() {
    yield await row.promise;
  }
  const { body } = streamedReply(results(), 'text/event-stream');
  const events = body as AsyncGenerator<string, void, void>;
  for (let comment = 0; comment < 2; comment += 1) {
    const next = events.next();
    await vi.advanceTimersByTimeAsync(12_000);
    expect(await next).toEqual({ done: false, value: ':\n\n' });
  }
  row.resolve('{}');
  expect((await events.next()).value).toBe('event: next\ndata: {}\n\n');
  expect((await events.next()).value).toBe('event: complete\ndata:\n\n');
  expect((await events.next()).done).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});
