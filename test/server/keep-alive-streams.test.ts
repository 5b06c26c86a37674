import { afterEach, expect, it, vi } from 'vitest';
import { streamedResponse } from '../../src/api/graphql/streams.ts';
import {
  deferredV02,
  eventStream,
  multipartSubscription,
} from '../../src/server/messages/media-types.ts';
import { remaining } from '../support/requests/streams.ts';

afterEach(() => void vi.useRealTimers());

/** Starts a stream of one result, with fake timers. */
function startStream(media: string) {
  vi.useFakeTimers();
  const { promise, resolve } = Promise.withResolvers<string>();
  async function* results() {
    yield { json: await promise };
  }
  return {
    sent: streamedResponse(results(), media).body as AsyncGenerator<string, void, void>,
    resolve,
  };
}

async function* failed() {
  yield { json: '{"errors":[{"message":"no"}]}', isFatal: true };
}

const part = (body: string) =>
  `\r\nContent-Type: application/json; charset=utf-8\r\n\r\n${body}\r\n--graphql`;

it.each([
  {
    media: eventStream,
    opening: [],
    heartbeat: ':\n\n',
    result: 'event: next\ndata: {"data":1}\n\n',
    closing: 'event: complete\ndata:\n\n',
  },
  {
    media: multipartSubscription,
    opening: ['--graphql'],
    heartbeat: part('{}'),
    result: part('{"payload":{"data":1}}'),
    closing: '--\r\n',
  },
])(
  'sends heartbeats in an idle $media stream until it ends',
  async ({ media, opening, heartbeat, result, closing }) => {
    const { sent, resolve } = startStream(media);
    for (const text of opening) expect((await sent.next()).value).toBe(text);
    for (let heartbeats = 0; heartbeats < 2; heartbeats += 1) {
      const next = sent.next();
      await vi.advanceTimersByTimeAsync(12_000);
      expect(await next).toEqual({ done: false, value: heartbeat });
    }
    resolve('{"data":1}');
    expect((await sent.next()).value).toBe(result);
    expect((await sent.next()).value).toBe(closing);
    expect((await sent.next()).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  },
);

it('sends no heartbeats in a @defer stream, whose formats have none', async () => {
  const { sent, resolve } = startStream(deferredV02);
  expect((await sent.next()).value).toBe('---');
  const next = sent.next();
  await vi.advanceTimersByTimeAsync(24_000);
  resolve('{"data":1}');
  expect((await next).value).toContain('{"data":1}');
  await sent.return();
  expect(vi.getTimerCount()).toBe(0);
});

it('ends a failed multipart subscription with its errors and a null payload', async () => {
  const sent = streamedResponse(failed(), multipartSubscription).body as AsyncGenerator<
    string,
    void,
    void
  >;
  expect((await remaining(sent)).join('')).toBe(
    `--graphql${part('{"payload":null,"errors":[{"message":"no"}]}')}--\r\n`,
  );
});
