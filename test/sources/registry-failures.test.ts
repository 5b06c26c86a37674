import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { name, openBothApis, type BothApis } from '../support/both-apis.ts';
import { startFakeRegistry } from '../support/fake-registry.ts';
import { startGateway } from '../support/gateway.ts';
import { drip, hang, reset, resetMidBody } from '../support/hostile-replies.ts';
import { json, notFound, registered, status, type Reply } from '../support/replies.ts';
import { sequence } from '../support/scripts.ts';

let doors: BothApis;
beforeEach(async () => void (doors = await openBothApis()));
afterEach(() => doors[Symbol.asyncDispose]());

describe('when the registry fails', () => {
  describe.each<[string, Reply]>([
    ['says 500', status(500)],
    ['says 502 with an RDAP 404 in it', json(502, { errorCode: 404 })],
    ['cuts the connection', reset()],
    ['cuts the connection in the middle', resetMidBody()],
  ])('because it %s', (_what, failure) => {
    it('once, it is asked once more', async () => {
      await doors.expectVerdict(sequence([failure, registered(name), failure, registered(name)]), {
        status: 'REGISTERED',
        available: false,
        reason: null,
      });
      expect(doors.registry.asked(name)).toBe(4);
    });

    it('twice, the status is UNKNOWN, and the name is not sent again at once', async () => {
      await doors.expectVerdict(failure, {
        status: 'UNKNOWN',
        available: null,
        reason: 'registry_error',
      });
      expect(doors.registry.asked(name)).toBe(2);
    });
  });

  it.each([429, 503])(
    'because it is busy (%i) for longer than we may wait, nothing is known',
    async (code) => {
      doors.registry.on(name, status(code, { 'retry-after': '60' }));
      const { data } = await doors.gateway.graphql(
        `{ domain(name: "${name}") { status available reason } }`,
      );
      expect(data.domain).toEqual({ status: 'UNKNOWN', available: null, reason: 'registry_busy' });
      const answer = await doors.gateway.fetch(`/v1/rdap?domain=${name}`);
      expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([
        503,
        expect.closeTo(60, -1),
      ]);
      expect(doors.registry.asked(name)).toBe(1);
    },
  );

  it.each([429, 503])(
    'because it is busy (%i) for a moment, it is asked once more',
    async (code) => {
      const busy = status(code, { 'retry-after': '0' });
      await doors.expectVerdict(sequence([busy, notFound(), busy, notFound()]), {
        status: 'AVAILABLE',
        available: true,
        reason: null,
      });
      expect(doors.registry.asked(name)).toBe(4);
    },
  );

  it('because nobody is there, nothing is known', async () => {
    await doors.registry.close();
    await doors.expectVerdict(notFound(), {
      status: 'UNKNOWN',
      available: null,
      reason: 'registry_error',
    });
  });

  it('the next server of its list is asked; but "not found" is an answer', async () => {
    await using second = await startFakeRegistry();
    second.on(/^(?:nic|example)\./, ({ name: held }) => registered(held));
    await using both = await startGateway({
      registries: { registry: [doors.registry.baseUrl, second.baseUrl] },
    });
    const ask = async (domain: string) =>
      (await both.get(`/v1/status?domain=${domain}`)).results[0];
    doors.registry.on(name, status(500));
    expect(await ask(name)).toMatchObject({ status: 'registered', rdap_endpoint: second.baseUrl });
    expect(await ask('free.registry')).toMatchObject({
      status: 'available',
      rdap_endpoint: doors.registry.baseUrl,
    });
    expect(second.asked('free.registry')).toBe(0);
  });
});

describe('when the registry does not answer in time', () => {
  it.each<[string, Reply]>([
    ['hangs', hang()],
    ['drips', drip('{'.padEnd(10_000), 20)],
  ])('because it %s, nothing is known', async (_what, reply) => {
    await using hurried = await openBothApis({ RDAP_TIMEOUT_MS: '300' });
    await hurried.expectVerdict(reply, {
      status: 'UNKNOWN',
      available: null,
      reason: 'registry_timeout',
    });
    expect((await hurried.gateway.fetch(`/v1/rdap?domain=${name}`)).status).toBe(504);
  });
});
