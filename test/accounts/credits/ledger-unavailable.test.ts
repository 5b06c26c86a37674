import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { expireReservations } from '../../support/stores/expire-reservations.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import {
  costIn,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { notFound } from '../../support/bodies/replies.ts';
import { paused } from '../../support/bodies/scripts.ts';

let metered: MeteredGateway;
let customer: Customer;
let lines: Json[];
let clock: ReturnType<typeof manualClock>;

beforeEach(async () => {
  const log = memoryLog();
  lines = log.lines;
  clock = manualClock();
  metered = await forThisTest(startMeteredGateway, { log: log.log, clock });
  customer = await metered.newCustomer({ credits: 100 });
});

const cachedLookup = '/v1/status?domain=cached.example';

const requests: readonly (readonly [what: string, send: () => Promise<Response>])[] = [
  ['a search', () => customer.fetch('/v1/status?name=new&tlds=tld0,tld1')],
  ['a record', () => customer.fetch('/v1/rdap?domain=new.example')],
  ['a list', () => customer.post('/v1/status/bulk', { domains: ['new.example', 'more.example'] })],
  [
    'a list with an Idempotency-Key',
    () =>
      customer.post(
        '/v1/status/bulk',
        { domains: ['new.example'] },
        { 'idempotency-key': 'order' },
      ),
  ],
  [
    'lines',
    () =>
      customer.post(
        '/v1/status/bulk',
        { domains: ['new.example'] },
        { accept: 'application/x-ndjson' },
      ),
  ],
  ['GraphQL', () => customer.graphql('{ domain(name: "new.example") { available } }')],
  ['a subscription', () => subscribe(['new.example'])],
  ['a cached name', () => customer.fetch(cachedLookup)],
  [
    'a cached name in GraphQL',
    () => customer.graphql('{ domain(name: "cached.example") { available } }'),
  ],
];

describe('a ledger that is not writable', () => {
  beforeEach(async () => {
    await customer.fetch(cachedLookup);
    breakLedger();
  });

  it.each(requests)(
    'causes a 503 for %s without a lookup or a charge, until it is writable again',
    async (_, send) => {
      const before = metered.registry.requests.length;
      const answer = await send();
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      const body = await answer.json();
      expect(body.code ?? body.errors[0].extensions.code).toBe('unavailable');
      expect(body.data).toBeUndefined();
      expect(metered.registry.requests).toHaveLength(before);
      expect(await customer.balance()).toMatchObject({ used: 1 });
      repairLedger();
      expect((await send()).status).toBe(200);
    },
  );

  it('makes /ready return 503, until it is writable again', async () => {
    const answer = await metered.gateway.fetch('/ready');
    expect([answer.status, await answer.json()]).toEqual([503, { status: 'not ready' }]);
    expect((await metered.gateway.fetch('/health')).status).toBe(200);
    repairLedger();
    clock.advance(1000);
    expect((await metered.gateway.fetch('/ready')).status).toBe(200);
  });

  it('is logged when it fails, once a minute with a count, and when it works again', async () => {
    const outage = () => lines.filter(({ msg }) => msg.includes('ledger'));
    for (const [, send] of requests) await send();
    const reason = expect.stringContaining('full');
    expect(outage()).toEqual([
      expect.objectContaining({ level: 'error', reason, msg: expect.stringMatching(/not usable/) }),
    ]);
    clock.advance(60_000);
    expect(outage()[1]).toMatchObject({ level: 'error', msg: 'The ledger is still not usable.' });
    const { failures } = outage()[1] ?? {};
    expect(failures).toBeGreaterThanOrEqual(requests.length);
    repairLedger();
    expect((await customer.fetch(cachedLookup)).status).toBe(200);
    expect(outage().slice(2)).toEqual([
      expect.objectContaining({ level: 'info', msg: 'The ledger is usable again.' }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('"stack"');
  });

  it.each(['/v1/tlds', '/v1/status?domain=free.test'])(
    'does not affect %s, which costs nothing',
    async (path) => {
      expect((await customer.fetch(path)).status).toBe(200);
    },
  );
});

it('rejects every key while the ledger is not readable', async () => {
  const database = open();
  database.exec('ALTER TABLE keys RENAME TO elsewhere');
  const answer = await customer.fetch('/v1/status?domain=a.test');
  expect([answer.status, (await answer.json()).code]).toEqual([503, 'unavailable']);
  database.exec('ALTER TABLE elsewhere RENAME TO keys');
  database.close();
  expect((await customer.fetch('/v1/status?domain=a.test')).status).toBe(200);
});

describe('a ledger that fails during an operation', () => {
  const domains = ['held.example', 'other.example'];
  const operations: readonly (readonly [
    what: string,
    requested: number,
    send: () => Promise<Response>,
    expected: RegExp,
  ])[] = [
    [
      'a verdict',
      1,
      () => customer.fetch('/v1/status?domain=held.example'),
      /"code":"unavailable"/,
    ],
    [
      'GraphQL',
      prices.record(1),
      () => customer.graphql('{ domain(name: "held.example") { rdap { handle } } }'),
      /"code":"unavailable"/,
    ],
    ['a list', 2, () => customer.post('/v1/status/bulk', { domains }), /"code":"unavailable"/],
    [
      'a list with an Idempotency-Key',
      2,
      () => customer.post('/v1/status/bulk', { domains }, { 'idempotency-key': 'order' }),
      /"code":"unavailable"/,
    ],
    ['a subscription', 2, () => subscribe(domains), /"code":"unavailable"/],
    [
      'lines',
      2,
      () => customer.post('/v1/status/bulk', { domains }, { accept: 'application/x-ndjson' }),
      /^(?!.*"meta")/s,
    ],
  ];

  it.each(operations)(
    'charges nothing for %s, and refunds the reservation when it expires',
    async (_, requested, send, expected) => {
      const reply = paused(notFound());
      metered.registry.on('held.example', reply);
      const response = send();
      await metered.registry.whenRequested('held.example');
      expect(await customer.balance()).toMatchObject({ used: requested });
      breakLedger();
      reply.release();
      expect(await textOf(await response)).toMatch(expected);
      repairLedger();
      expect(costIn(await customer.fetch('/v1/status?domain=later.example'))).toMatchObject({
        charged: 1,
      });
      expect((await customer.balance()).used).toBe(requested + 1);
      expect(await expireReservations(`sqlite:${metered.folder}/gateway.db`)).toBe(1);
      expect(await customer.balance()).toMatchObject({ used: 1 });
      expect(await metered.ledger.check()).toEqual([]);
    },
  );
});

function subscribe(domains: readonly string[]): Promise<Response> {
  const query = 'subscription ($domains: [String!]) { availability(domains: $domains) { domain } }';
  return customer.graphql(query, { domains }, { accept: 'text/event-stream' });
}

/** Returns the received text of a response, even if it is aborted. */
async function textOf({ body }: Response): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return text;
}

const written = ['counters', 'entries', 'reservations', 'probes', 'idempotency_keys'];
const operationTypes = ['INSERT', 'UPDATE', 'DELETE'];

/** Makes every write fail, as on a full disk; reads still work. */
function breakLedger(): void {
  onEachWrite(
    (table, operationType) =>
      `CREATE TRIGGER no_${operationType}_${table} BEFORE ${operationType} ON ${table} BEGIN SELECT RAISE(ABORT, 'full'); END`,
  );
}

function repairLedger(): void {
  onEachWrite((table, operationType) => `DROP TRIGGER no_${operationType}_${table}`);
}

function onEachWrite(sql: (table: string, operationType: string) => string): void {
  const database = open();
  database.exec(
    `BEGIN IMMEDIATE; ${written.flatMap((table) => operationTypes.map((operationType) => sql(table, operationType))).join('; ')}; COMMIT`,
  );
  database.close();
}

function open(): DatabaseSync {
  const database = new DatabaseSync(join(metered.folder, 'gateway.db'));
  database.exec('PRAGMA busy_timeout = 5000');
  return database;
}
