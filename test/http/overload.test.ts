import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdmission } from '../../src/http/admission.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { manualClock } from '../support/manual-clock.ts';
import { expectProblem } from '../support/problems.ts';
import { notFound } from '../support/replies.ts';
import { held } from '../support/scripts.ts';

let registry: FakeRegistry;
let gateway: Gateway;

beforeAll(async () => {
  registry = await startFakeRegistry();
  gateway = await startGateway({
    registries: { example: registry.baseUrl },
    env: { RATE_LIMIT: '0', RDAP_RATE: '0', RDAP_TIMEOUT_MS: '60000', MAX_LOOKUPS: '20000' },
    clock: manualClock(), // by which no turn of the event loop is long
  });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

it('a burst of 1,000 requests at once is answered whole', async () => {
  await using busy = await startGateway({ env: { RATE_LIMIT: '0' } });
  const ask = () => busy.fetch('/v1/status?domain=taken.test');
  const answers = await Promise.all(Array.from({ length: 1000 }, ask));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
});

/** A connection with so many requests on it, all of which wait for the same name. */
async function openWaiting(name: string, requests: number): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`GET /v1/status?domain=${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(requests));
  return socket;
}

/** Settles when a request is answered so. */
async function askUntil(status: number): Promise<Response> {
  for (;;) {
    const answer = await gateway.fetch('/v1/status?domain=taken.test');
    if (answer.status === status) return answer;
    await answer.arrayBuffer();
  }
}

const tooMuch = 'The gateway has more to do than it can; try again in a moment.';

describe('when 5,000 requests wait', () => {
  it('others are told to come later, at both doors, while /health says that all is well', async () => {
    const slow = held(notFound());
    registry.on('slow.example', slow);
    const waiting = await Promise.all(Array.from({ length: 10 }, () => openWaiting('slow.example', 500)));
    const refused = await askUntil(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    await expectProblem(refused, 'overloaded', { retry_after: 1 });
    const atGraphql = await gateway.post('/graphql', { query: '{ domain(name: "taken.test") { id } }' });
    expect([atGraphql.status, atGraphql.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await atGraphql.json()).toEqual({ errors: [{ message: tooMuch, extensions: { code: 'overloaded', retryAfter: 1 } }] });
    expect((await gateway.fetch('/health')).status).toBe(200);
    for (const socket of waiting.slice(5)) socket.destroy();
    await askUntil(200);
    slow.release();
    for (const socket of waiting.slice(0, 5)) expect(await answersOn(socket, 500)).toBe(500);
    expect(registry.asked('slow.example')).toBe(1);
  });
});

/** How many of the answers that come on a connection say that the name is free. */
async function answersOn(socket: Socket, count: number): Promise<number> {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    const free = text.split('"available":true').length - 1;
    if (free >= count) return free;
  }
  throw new Error(`closed too early: ${text.slice(-200)}`);
}

describe('who looks up very many names at once', () => {
  const many = {
    names: Array.from({ length: 1000 }, (_, index) => `n${index}`),
    tlds: Array.from({ length: 15 }, (_, index) => `no-tld-${index}`),
  };

  it('is told to wait for earlier answers, and may go on when they have come', async () => {
    const late = held(notFound());
    registry.on('n0.example', late);
    const first = gateway.post('/v1/status/bulk', { ...many, tlds: [...many.tlds.slice(1), 'example'] });
    await registry.whenAsked('n0.example');
    const second = await gateway.post('/v1/status/bulk', many);
    expect(second.headers.get('retry-after')).toBe('1');
    await expectProblem(second, 'overloaded', { retry_after: 1 });
    const query = 'query ($list: [String!]) { domains(domains: $list) { status } }';
    const list = Array.from({ length: 5100 }, (_, index) => `${index}.x`);
    const atGraphql = await gateway.post('/graphql', { query, variables: { list } });
    expect([atGraphql.status, atGraphql.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await gateway.fetch('/v1/status?domain=taken.test')).status).toBe(200);
    late.release();
    await (await first).arrayBuffer();
    expect((await gateway.post('/v1/status/bulk', many)).status).toBe(200);
  });
});

describe('when turns of the event loop are long', () => {
  const clock = manualClock();
  let meanMs = 10;
  const admission = createAdmission({ clock, turns: { meanMs: () => meanMs, close: () => {} } });
  /** One turn with a request every 10 ms; whether each was let in. */
  async function turnOf(requests: number): Promise<readonly boolean[]> {
    await nextTurn();
    await nextTurn();
    return Array.from({ length: requests }, () => {
      clock.advance(10);
      try {
        admission.enter()();
        return true;
      } catch {
        return false;
      }
    });
  }

  it('whoever comes late in one is refused, until they are short again', async () => {
    clock.advance(1000);
    expect(await turnOf(100)).toEqual(Array(100).fill(true));
    meanMs = 41;
    clock.advance(1000);
    expect(await turnOf(5)).toEqual([true, true, false, false, false]);
    meanMs = 13;
    clock.advance(1000);
    expect(await turnOf(5)).toEqual([true, true, false, false, false]);
    meanMs = 11;
    clock.advance(1000);
    expect(await turnOf(5)).toEqual(Array(5).fill(true));
  });

  it('so is who comes late in a single one that has no end', async () => {
    expect(new Set((await turnOf(300)).slice(0, 200))).toEqual(new Set([true]));
    clock.advance(1000);
    expect((await turnOf(300)).at(-1)).toBe(false);
  });
});
