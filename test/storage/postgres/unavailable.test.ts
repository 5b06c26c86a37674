import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { expireReservations } from '../../support/expire-reservations.ts';
import { connectTo, fillUp, takeAllConnections } from '../../support/many-connections.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { memoryLog } from '../../support/memory-log.ts';
import {
  startMeteredFleet,
  type FleetCustomer,
  type MeteredFleet,
} from '../../support/metered-fleet.ts';
import { postgresMissing, startPostgres, type Postgres } from '../../support/postgres.ts';
import { notFound } from '../../support/replies.ts';
import { paused } from '../../support/scripts.ts';
import { sql } from '../../support/sql.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';
const until = { timeout: 15_000, interval: 20 };

describe.skipIf(postgresMissing)(`a database that is away${skipped}`, () => {
  let postgres: Postgres;
  let fleet: MeteredFleet;
  let customer: FleetCustomer;
  let lines: { msg: string }[];
  beforeAll(async () => void (postgres = await startPostgres({ max_connections: '30' })));
  afterAll(() => postgres[Symbol.asyncDispose]());
  beforeEach(async () => {
    const log = memoryLog();
    lines = log.lines;
    fleet = await startMeteredFleet(postgres, 2, { log: log.log });
    customer = await fleet.newCustomer({ credits: 100 });
  });
  afterEach(() => fleet[Symbol.asyncDispose]());

  const asks: readonly (() => Promise<Response>)[] = [
    () => customer.at(0).fetch('/v1/status?domain=remembered.example'),
    () => customer.at(0).fetch('/v1/rdap?domain=new.example'),
    () => customer.at(0).post('/v1/status/bulk', { domains: ['new.example', 'more.example'] }),
    () => customer.at(0).graphql('{ domain(name: "new.example") { available } }'),
  ];

  /** Ways to be away, and the way back. */
  const outages: readonly (readonly [what: string, leave: () => Promise<() => Promise<void>>])[] = [
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
      'a replica by now',
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
    '%s: metered calls are refused and nothing is looked up, /ready says no, and all goes on when it is back',
    async (_, leave) => {
      expect((await customer.at(0).fetch('/v1/status?domain=remembered.example')).status).toBe(200);
      const asked = fleet.registry.requests.length;
      const comeBack = await leave();
      try {
        await vi.waitFor(
          async () => expect((await fleet.nodes[0]?.fetch('/ready'))?.status).toBe(503),
          until,
        );
        for (const ask of asks) {
          const answer = await ask();
          expect([answer.status, await answer.text()]).toEqual([
            503,
            expect.stringContaining('"unavailable"'),
          ]);
        }
        expect((await fleet.nodes[0]?.fetch('/health'))?.status).toBe(200);
        expect(lines.map(({ msg }) => msg)).toEqual(
          expect.arrayContaining([
            'the database is away',
            'Not ready: the ledger is not writable. Check disk space and the database.',
          ]),
        );
        expect(fleet.registry.requests).toHaveLength(asked);
      } finally {
        await comeBack();
      }
      await vi.waitFor(
        async () => expect((await fleet.nodes[0]?.fetch('/ready'))?.status).toBe(200),
        until,
      );
      for (const ask of asks) expect((await ask()).status).toBe(200);
      await expectUsed(1 + 1 + 2 + 2 + 1);
    },
  );

  it('callers without a key are answered from memory meanwhile', async () => {
    const bootstrap = { example: fleet.registry.baseUrl };
    await using open: Gateway = await startGateway({
      registries: bootstrap,
      env: { AUTH: 'open', STORE_URL: fleet.storeUrl },
    });
    const path = '/v1/status?domain=remembered.example';
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

  it('what was in progress meanwhile is answered as not charged, and is refunded when its reservation expires', async () => {
    const late = paused(notFound());
    fleet.registry.on(/^late/, late);
    const waiting = customer.at(0).fetch('/v1/rdap?domain=late.example');
    await fleet.registry.whenAsked('late.example');
    await postgres.freeze();
    late.release();
    expect((await waiting).status).toBe(503);
    await postgres.thaw();
    await vi.waitFor(async () => expect(await expireReservations(fleet.storeUrl)).toBe(1), until);
    await expectUsed(0);
  });

  it('a statement that is cut off in the middle is told as not charged, and the gateway goes on', async () => {
    await customer.at(0).fetch('/v1/status?domain=first.example');
    const operator = await connectTo(fleet.storeUrl);
    await operator.query('BEGIN');
    await operator.query('SELECT * FROM counters FOR UPDATE');
    const waiting = customer.at(0).fetch('/v1/status?domain=second.example');
    await vi.waitFor(async () => expect(await sql(fleet.storeUrl, locked)).toHaveLength(1), {
      ...until,
      interval: 1,
    });
    await postgres.kill();
    expect((await waiting).status).toBe(503);
    await postgres.start();
    await expectUsed(1);
  });

  it('a statement that waits for a lock too long is given up by the server, too: such a lock uses up no connections', async () => {
    await customer.at(0).fetch('/v1/status?domain=first.example');
    const operator = await connectTo(fleet.storeUrl);
    await operator.query('BEGIN');
    await operator.query('SELECT * FROM counters FOR UPDATE');
    const refused = await Promise.all(
      Array.from({ length: 3 }, (_, index) =>
        customer.at(0).fetch(`/v1/status?domain=locked${index}.example`),
      ),
    );
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
    await vi.waitFor(async () => expect(await sql(fleet.storeUrl, locked)).toEqual([]), until);
    await operator.query('ROLLBACK');
    await expectUsed(1);
  });

  it('one connection is enough where the server has no room for more', async () => {
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

  /** By itself: nobody asks for anything meanwhile. */
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
