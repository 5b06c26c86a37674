import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { expireReservations } from '../../support/stores/expire-reservations.ts';
import { connectTo, fillUp, takeAllConnections } from '../../support/stores/many-connections.ts';
import { startGateway, type Gateway } from '../../support/gateways/gateway.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import {
  startMeteredFleet,
  type FleetCustomer,
  type MeteredFleet,
} from '../../support/gateways/metered-fleet.ts';
import { postgresMissing, startPostgres, type Postgres } from '../../support/stores/postgres.ts';
import { notFound } from '../../support/bodies/replies.ts';
import { paused } from '../../support/bodies/scripts.ts';
import { sql } from '../../support/stores/sql.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';
const until = { timeout: 15_000, interval: 20 };

describe.skipIf(postgresMissing)(`an unavailable database${skipped}`, () => {
  let postgres: Postgres;
  let fleet: MeteredFleet;
  let customer: FleetCustomer;
  let lines: { msg: string }[];
  beforeAll(async () => void (postgres = await startPostgres({ max_connections: '30' })));
  afterAll(() => postgres[Symbol.asyncDispose]());
  beforeEach(async () => {
    const log = memoryLog();
    lines = log.lines;
    fleet = await forThisTest(startMeteredFleet, postgres, 2, { log: log.log });
    customer = await fleet.newCustomer({ credits: 100 });
  });

  const requests: readonly (() => Promise<Response>)[] = [
    () => customer.at(0).fetch('/v1/status?domain=cached.example'),
    () => customer.at(0).fetch('/v1/rdap?domain=new.example'),
    () => customer.at(0).post('/v1/status/bulk', { domains: ['new.example', 'more.example'] }),
    () => customer.at(0).graphql('{ domain(name: "new.example") { available } }'),
  ];

  /** What is free, but reads the database or writes to it. */
  const stored: readonly (() => Promise<Response>)[] = [
    ...['watches', 'changes', 'calendar.ics', 'webhooks', 'feeds', 'receipts/unknown'].map(
      (path) => () => customer.at(0).fetch(`/v1/${path}`),
    ),
    () => customer.at(0).fetch('/.well-known/jwks.json'),
    () => customer.at(0).fetch('/receipts/unknown'),
    () => customer.at(0).fetch('/v1/receipts/unknown', { method: 'DELETE' }),
    () => customer.at(0).post('/v1/watches', { domains: ['free.test'] }),
    () => customer.at(0).post('/v1/receipts', { domain: 'free.test' }),
    () => customer.at(0).post('/v1/feeds', {}),
  ];

  /** What a key gets without credits. */
  const free = ['/v1/status?domain=free.test', '/v1/tlds', '/v1/status?domain=unlisted.unlisted'];
  /** Lines that are not about the outage. */
  const usual = /^(?:Loaded|Requests? (?:rejected|to registries|to a registry))/;

  /** Starts an outage; the returned function ends it. */
  const outages: readonly (readonly [
    what: string,
    startOutage: () => Promise<() => Promise<void>>,
  ])[] = [
    [
      'frozen',
      async () => {
        await postgres.freeze();
        return postgres.thaw;
      },
    ],
    [
      'killed and started again',
      async () => {
        await postgres.kill();
        return postgres.start;
      },
    ],
    ['out of connections', () => takeAllConnections(fleet.storeUrl)],
    [
      'replica after a failover',
      async () => {
        const operator = await connectTo(fleet.storeUrl);
        await operator.query('SET default_transaction_read_only = off');
        const set = async (how: string) => {
          await operator.query(`ALTER SYSTEM ${how}`);
          await operator.query('SELECT pg_reload_conf()');
        };
        await set('SET default_transaction_read_only = on');
        return async () => {
          await set('RESET default_transaction_read_only');
          await operator.end();
        };
      },
    ],
  ];

  it.each(outages)(
    '(%s) causes 503 for metered calls and /ready without any lookup, until it is available again',
    async (_, startOutage) => {
      expect((await customer.at(0).fetch('/v1/status?domain=cached.example')).status).toBe(200);
      const requestsBefore = fleet.registry.requests.length;
      const endOutage = await startOutage();
      try {
        await vi.waitFor(
          async () => expect((await fleet.nodes[0]?.fetch('/ready'))?.status).toBe(503),
          until,
        );
        for (const send of [...requests, ...stored]) {
          const answer = await send();
          expect([answer.status, await answer.text()], answer.url).toEqual([
            503,
            expect.stringContaining('"unavailable"'),
          ]);
          expect(answer.headers.get('retry-after')).toBe('5');
        }
        for (const query of [
          '{ webhooks { id } }',
          'mutation { watch(domains: ["a.test"]) { domain } }',
        ])
          expect(await (await customer.at(0).graphql(query)).text()).toContain('"unavailable"');
        expect((await fleet.nodes[0]?.fetch('/health'))?.status).toBe(200);
        for (const path of free) expect((await customer.at(0).fetch(path)).status, path).toBe(200);
        const answer = await customer.at(0).graphql('{ account { name } }');
        expect(await answer.text()).toContain('"unavailable"');
        expect(fleet.registry.requests).toHaveLength(requestsBefore);
      } finally {
        await endOutage();
      }
      await vi.waitFor(
        async () => expect((await fleet.nodes[0]?.fetch('/ready'))?.status).toBe(200),
        until,
      );
      for (const send of requests) expect((await send()).status).toBe(200);
      await expectUsed(1 + 1 + 2 + 2 + 1);
      // Each of the two nodes logs when the database goes and when it is back.
      expect(lines.map(({ msg }) => msg).filter((msg) => !usual.test(msg))).toEqual(
        expect.toSatisfy((all: readonly string[]) => all.length >= 2 && all.length <= 4),
      );
      expect(JSON.stringify(lines)).not.toContain('"stack"');
    },
  );

  it('rejects a key that the node has not seen before', async () => {
    const stranger = await fleet.newCustomer();
    await postgres.kill();
    try {
      expect((await stranger.at(0).fetch('/v1/tlds')).status).toBe(503);
    } finally {
      await postgres.start();
    }
  });

  it('does not affect cached answers for callers without a key', async () => {
    const bootstrap = { example: fleet.registry.baseUrl };
    await using open: Gateway = await startGateway({
      registries: bootstrap,
      env: { AUTH: 'open', STORE_URL: fleet.storeUrl },
    });
    const path = '/v1/status?domain=cached.example';
    const before = await open.get(path);
    await postgres.freeze();
    try {
      const { results } = await open.get(path);
      expect(results).toEqual([
        { ...before.results[0], cached: true, latency_ms: expect.any(Number) },
      ]);
    } finally {
      await postgres.thaw();
    }
  });

  it('causes a 503 for requests in progress, whose reservations are refunded when they expire', async () => {
    const pausedReply = paused(notFound());
    fleet.registry.on(/^late/, pausedReply);
    const pending = customer.at(0).fetch('/v1/rdap?domain=late.example');
    await fleet.registry.whenRequested('late.example');
    await postgres.freeze();
    pausedReply.release();
    expect((await pending).status).toBe(503);
    await postgres.thaw();
    await vi.waitFor(async () => expect(await expireReservations(fleet.storeUrl)).toBe(1), until);
    await expectUsed(0);
  });

  it('causes a 503 for an interrupted statement, which is not charged', async () => {
    await customer.at(0).fetch('/v1/status?domain=first.example');
    const operator = await connectTo(fleet.storeUrl);
    await operator.query('BEGIN');
    await operator.query('SELECT * FROM counters FOR UPDATE');
    const pending = customer.at(0).fetch('/v1/status?domain=second.example');
    await vi.waitFor(async () => expect(await sql(fleet.storeUrl, locked)).toHaveLength(1), {
      ...until,
      interval: 1,
    });
    await postgres.kill();
    expect((await pending).status).toBe(503);
    await postgres.start();
    await expectUsed(1);
  });

  it('is not assumed for a lock: the server cancels statements that wait too long, and frees their connections', async () => {
    await customer.at(0).fetch('/v1/status?domain=first.example');
    const operator = await connectTo(fleet.storeUrl);
    await operator.query('BEGIN');
    await operator.query('SELECT * FROM counters FOR UPDATE');
    const rejected = await Promise.all(
      Array.from({ length: 3 }, (_, index) =>
        customer.at(0).fetch(`/v1/status?domain=locked${index}.example`),
      ),
    );
    expect(rejected.map(({ status }) => status)).toEqual([503, 503, 503]);
    const [line, ...others] = lines.filter(({ msg }) => !usual.test(msg));
    expect(line).toMatchObject({ msg: expect.stringMatching(/^A statement took too long/) });
    expect(others).toMatchObject([]);
    expect(line).not.toHaveProperty('err');
    await vi.waitFor(async () => expect(await sql(fleet.storeUrl, locked)).toEqual([]), until);
    await operator.query('ROLLBACK');
    await expectUsed(1);
  });

  it('is not assumed if the server accepts only one connection, which all requests share', async () => {
    const others = await fillUp(fleet.storeUrl);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        customer.at(0).fetch(`/v1/status?domain=n${index}.example`),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const other of others) await other.end();
    await expectUsed(30);
  });

  /** Waits, without further requests, until all reservations are settled. */
  async function expectUsed(credits: number): Promise<void> {
    await vi.waitFor(
      async () =>
        expect(await sql(fleet.storeUrl, 'SELECT * FROM reservations WHERE amount > 0')).toEqual(
          [],
        ),
      until,
    );
    await vi.waitFor(
      async () => expect(await customer.balance()).toMatchObject({ used: credits }),
      until,
    );
    expect(await fleet.ledger.check()).toEqual([]);
  }
});

const locked = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'rdap-graphql-gateway'`;
