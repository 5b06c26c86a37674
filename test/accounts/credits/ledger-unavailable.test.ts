import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { expireReservations } from '../../support/expire-reservations.ts';
import { memoryLog } from '../../support/memory-log.ts';
import {
  costIn,
  startMeteredGateway,
  type Customer,
  type MeteredGateway,
} from '../../support/metered-gateway.ts';
import { notFound } from '../../support/replies.ts';
import { paused } from '../../support/scripts.ts';

let metered: MeteredGateway;
let customer: Customer;
let lines: { msg: string }[];

beforeEach(async () => {
  const log = memoryLog();
  lines = log.lines;
  metered = await startMeteredGateway({ log: log.log });
  customer = await metered.newCustomer({ credits: 100 });
});
afterEach(() => metered[Symbol.asyncDispose]());

const remembered = '/v1/status?domain=remembered.example';

const asks: readonly (readonly [what: string, ask: () => Promise<Response>])[] = [
  ['a search', () => customer.fetch('/v1/status?name=new&tlds=tld0,tld1')],
  ['a record', () => customer.fetch('/v1/rdap?domain=new.example')],
  ['a list', () => customer.post('/v1/status/bulk', { domains: ['new.example', 'more.example'] })],
  [
    'a list under an Idempotency-Key',
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
  ['what is remembered', () => customer.fetch(remembered)],
  [
    'what is remembered, through GraphQL',
    () => customer.graphql('{ domain(name: "remembered.example") { available } }'),
  ],
];

describe('a ledger that cannot be written', () => {
  beforeEach(async () => {
    await customer.fetch(remembered);
    breakLedger();
  });

  it.each(asks)(
    'means 503 for %s: nothing is looked up, nothing charged, and it works again afterwards',
    async (_, ask) => {
      const before = metered.registry.requests.length;
      const answer = await ask();
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      const body = await answer.json();
      expect(body.code ?? body.errors[0].extensions.code).toBe('unavailable');
      expect(body.data).toBeUndefined();
      expect(metered.registry.requests).toHaveLength(before);
      expect(await customer.balance()).toMatchObject({ used: 1 });
      mendLedger();
      expect((await ask()).status).toBe(200);
    },
  );

  it('is what /ready says, without the reason, which goes to the log', async () => {
    const answer = await metered.gateway.fetch('/ready');
    expect([answer.status, await answer.json()]).toEqual([503, { status: 'not ready' }]);
    expect(lines.map(({ msg }) => msg)).toContain(
      'Not ready: the ledger is not writable. Check disk space and the database.',
    );
    expect((await metered.gateway.fetch('/health')).status).toBe(200);
    mendLedger();
    await vi.waitFor(async () => expect((await metered.gateway.fetch('/ready')).status).toBe(200));
  });
});

it('a ledger that cannot be read lets nobody in', async () => {
  const database = open();
  database.exec('ALTER TABLE keys RENAME TO elsewhere');
  const answer = await customer.fetch('/v1/status?domain=a.test');
  expect([answer.status, (await answer.json()).code]).toEqual([503, 'unavailable']);
  database.exec('ALTER TABLE elsewhere RENAME TO keys');
  database.close();
  expect((await customer.fetch('/v1/status?domain=a.test')).status).toBe(200);
});

describe('a ledger that fails between the question and the answer', () => {
  const domains = ['held.example', 'other.example'];
  const midway: readonly (readonly [
    what: string,
    requested: number,
    ask: () => Promise<Response>,
    told: RegExp,
  ])[] = [
    [
      'a verdict',
      1,
      () => customer.fetch('/v1/status?domain=held.example'),
      /"code":"unavailable"/,
    ],
    [
      'GraphQL',
      2,
      () => customer.graphql('{ domain(name: "held.example") { rdap { handle } } }'),
      /"code":"unavailable"/,
    ],
    ['a list', 2, () => customer.post('/v1/status/bulk', { domains }), /"code":"unavailable"/],
    [
      'a list under an Idempotency-Key',
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

  it.each(midway)(
    'charges nothing for %s, and refunds what was reserved when that expires',
    async (_, requested, ask, told) => {
      const reply = paused(notFound());
      metered.registry.on('held.example', reply);
      const asking = ask();
      await metered.registry.whenAsked('held.example');
      expect(await customer.balance()).toMatchObject({ used: requested });
      breakLedger();
      reply.release();
      expect(await textOf(await asking)).toMatch(told);
      mendLedger();
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

/** What there is of an answer, also of one that breaks off. */
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
const ways = ['INSERT', 'UPDATE', 'DELETE'];

/** From now on every write fails, as on a full disk, and every read works. */
function breakLedger(): void {
  onEachWrite(
    (table, way) =>
      `CREATE TRIGGER no_${way}_${table} BEFORE ${way} ON ${table} BEGIN SELECT RAISE(ABORT, 'full'); END`,
  );
}

function mendLedger(): void {
  onEachWrite((table, way) => `DROP TRIGGER no_${way}_${table}`);
}

function onEachWrite(sql: (table: string, way: string) => string): void {
  const database = open();
  database.exec(
    `BEGIN IMMEDIATE; ${written.flatMap((table) => ways.map((way) => sql(table, way))).join('; ')}; COMMIT`,
  );
  database.close();
}

function open(): DatabaseSync {
  const database = new DatabaseSync(join(metered.folder, 'gateway.db'));
  database.exec('PRAGMA busy_timeout = 5000');
  return database;
}
