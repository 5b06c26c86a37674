import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bootstrapOf, writeBootstrap } from '../support/fake-bootstrap.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startFleet, type FleetOfGateways } from '../support/fleet.ts';
import { startProcess } from '../support/gateway-process.ts';
import type { Gateway, Json } from '../support/gateway.ts';
import { postgresMissing, startPostgres, type Postgres } from '../support/postgres.ts';
import { notFound, registered, status, type Script } from '../support/replies.ts';
import { scratch } from '../support/scratch.ts';
import { held, type HeldReply } from '../support/scripts.ts';
import { sql, untilFound } from '../support/sql.ts';

const taken: Script = ({ name }) => registered(name);

describe.skipIf(postgresMissing)(`one name at several nodes${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`, () => {
  let postgres: Postgres;
  let registry: FakeRegistry;
  let cleanup: AsyncDisposableStack;
  beforeAll(async () => void (postgres = await startPostgres()));
  afterAll(() => postgres[Symbol.asyncDispose]());
  beforeEach(async () => {
    cleanup = new AsyncDisposableStack();
    registry = cleanup.use(await startFakeRegistry());
    registry.fallback(taken);
  });
  afterEach(() => cleanup.disposeAsync());

  async function openFleet(count: number, env: Record<string, string> = {}): Promise<FleetOfGateways> {
    return cleanup.use(await startFleet(postgres, count, { registries: { aa: registry.baseUrl }, env }));
  }

  function answerLater(name: string, script: Script): HeldReply {
    const reply = held(script);
    registry.on(name, reply);
    cleanup.defer(() => reply.release());
    return reply;
  }

  it.each([
    ['that nobody knows yet', ''],
    ['whatever is stored', '&max_age=0'],
  ])('%s is one request to the registry, and one answer for all', async (_what, query) => {
    const { nodes, storeUrl } = await openFleet(3);
    const answer = answerLater('cold.aa', taken);
    const asked = nodes.map((node) => ask(node, 'cold.aa', query));
    for (const node of nodes) await untilLookingUp(node);
    await untilWaitedFor(storeUrl, 'cold.aa');
    answer.release();
    const rows = await Promise.all(asked);
    for (const row of rows) expect(row).toMatchObject({ status: 'registered', cached: false, stale: false });
    expect(new Set(rows.map((row) => row.checked_at)).size).toBe(1);
    expect(registry.asked('cold.aa')).toBe(1);
    expect(await ask(nodes[1], 'cold.aa')).toMatchObject({ status: 'registered', cached: true });
  });

  it('is one request also where no record may be kept, and one more for each other node that wants the record', async () => {
    const { nodes, storeUrl } = await openFleet(3, { RECORD_DAYS: '0' });
    const [node, ...others] = nodes;
    const answer = answerLater('cold.aa', taken);
    const first = ask(node, 'cold.aa');
    await registry.whenAsked('cold.aa');
    const rows = others.map((other) => ask(other, 'cold.aa'));
    for (const other of others) await untilLookingUp(other);
    await untilWaitedFor(storeUrl, 'cold.aa');
    const record = others[0]?.get('/v1/rdap?domain=cold.aa');
    // Whoever comes after has been answered: by now it waits with those who want no record.
    await ask(nodes[1], 'later.aa');
    answer.release();
    for (const row of await Promise.all([first, ...rows])) expect(row).toMatchObject({ status: 'registered', cached: false });
    expect(await record).toMatchObject({ cached: false, rdap: { ldhName: 'cold.aa' } });
    expect(registry.asked('cold.aa')).toBe(2);
  });

  it('fails for all who wait, with one request', async () => {
    const { nodes, storeUrl } = await openFleet(2);
    const refusal = answerLater('cold.aa', status(403));
    const asked = nodes.map((node) => ask(node, 'cold.aa'));
    await untilWaitedFor(storeUrl, 'cold.aa');
    refusal.release();
    const [first, second] = await Promise.all(asked);
    expect(first).toMatchObject({ status: 'unknown', reason: 'registry_error', rdap_endpoint: registry.baseUrl });
    expect({ ...second, latency_ms: 0 }).toEqual({ ...first, latency_ms: 0 });
    expect(registry.asked('cold.aa')).toBe(1);
  });

  it('is asked by the next when the node that waited for its turn gives up', async () => {
    const { nodes, storeUrl } = await openFleet(2, { RDAP_CONCURRENCY: '1' });
    const first = answerLater('first.aa', taken);
    const firstRow = ask(nodes[0], 'first.aa');
    await registry.whenAsked('first.aa');
    const leaver = new AbortController();
    const left = nodes[0].fetch('/v1/status?domain=cold.aa', { signal: leaver.signal }).catch(() => 'left');
    await untilQueued(storeUrl, 'cold.aa');
    const row = ask(nodes[1], 'cold.aa');
    await untilWaitedFor(storeUrl, 'cold.aa');
    leaver.abort();
    expect(await left).toBe('left');
    first.release();
    expect(await firstRow).toMatchObject({ status: 'registered' });
    expect(await row).toMatchObject({ status: 'registered' });
    expect(registry.asked('cold.aa')).toBe(1);
  });

  it('does not wait for its turn behind the long list of another node', async () => {
    const files = cleanup.use(await scratch());
    const limits = join(files.path, 'limits.json');
    await writeFile(limits, JSON.stringify({ [new URL(registry.baseUrl).host]: { rate: 2, burst: 1 } }));
    const { nodes, storeUrl } = await openFleet(2, { RDAP_LIMITS: limits });
    const domains = [...Array.from({ length: 50 }, (_, index) => `n${index}.aa`), 'urgent.aa'];
    const leaver = new AbortController();
    const headers = { 'content-type': 'application/json' };
    const list = { method: 'POST', headers, body: JSON.stringify({ domains }), signal: leaver.signal };
    const left = nodes[0].fetch('/v1/status/bulk', list).catch(() => 'left');
    await untilQueued(storeUrl, 'urgent.aa');
    expect(await ask(nodes[1], 'urgent.aa')).toMatchObject({ status: 'registered' });
    leaver.abort();
    expect(await left).toBe('left');
  });

  it('is asked by another when the node that asked is killed', async () => {
    const limits = { RDAP_CONCURRENCY: '1', QUEUE_TIMEOUT_MS: '10000' };
    const { nodes, storeUrl } = await openFleet(2, limits);
    const list = cleanup.use(await writeBootstrap(bootstrapOf({ aa: registry.baseUrl })));
    const env = { PORT: '0', STORE_URL: storeUrl, RDAP_BOOTSTRAP_URL: list.url, RDAP_ALLOW_PRIVATE: 'true', ...limits };
    const doomed = cleanup.use(startProcess(env));
    const { url } = await doomed.logged('listening');
    const answer = answerLater('cold.aa', taken);
    const lost = fetch(`${url}/v1/status?domain=cold.aa`).catch(() => 'lost');
    await registry.whenAsked('cold.aa');
    const rows = nodes.map((node) => ask(node, 'cold.aa'));
    await untilWaitedFor(storeUrl, 'cold.aa');
    doomed.kill('SIGKILL');
    expect(await lost).toBe('lost');
    await registry.whenAsked('cold.aa', 2);
    answer.release();
    for (const row of await Promise.all(rows)) expect(row).toMatchObject({ status: 'registered', cached: false });
    expect(registry.asked('cold.aa')).toBe(2);
  });

  it('is asked for when what is stored could not be read, however old that is', async () => {
    const { nodes, storeUrl } = await openFleet(2);
    registry.on('sold.aa', notFound());
    expect(await ask(nodes[1], 'sold.aa')).toMatchObject({ status: 'available' });
    await sql(storeUrl, 'UPDATE answers SET checked_at = checked_at - 7200000');
    registry.on('sold.aa', taken);
    await using locked = await lockAnswers(storeUrl);
    const row = ask(nodes[0], 'sold.aa', '&max_age=0');
    // The database is there, and one statement fails: it is late, or its connection breaks.
    await locked.ofThoseWhoWait('PERFORM pid');
    expect((await nodes[0].fetch('/ready')).status).toBe(200);
    await locked.ofThoseWhoWait('PERFORM pg_terminate_backend(pid)');
    await locked.unlock();
    expect(await row).toMatchObject({ status: 'registered', cached: false });
    expect(registry.asked('sold.aa')).toBe(2);
  });

  it('is asked by each when the database goes away meanwhile', async () => {
    const { nodes, storeUrl } = await openFleet(2);
    const answer = answerLater('cold.aa', taken);
    const rows = nodes.map((node) => ask(node, 'cold.aa'));
    await untilWaitedFor(storeUrl, 'cold.aa');
    await postgres.freeze();
    try {
      await registry.whenAsked('cold.aa', 2);
      answer.release();
      for (const row of await Promise.all(rows)) expect(row).toMatchObject({ status: 'registered', cached: false });
    } finally {
      await postgres.thaw();
    }
  });
});

async function ask(node: Gateway, name: string, query = ''): Promise<Json> {
  return (await node.get(`/v1/status?domain=${name}${query}`)).results[0];
}

/** Another node waits for what the one that asks for the name is told. */
const untilWaitedFor = (storeUrl: string, name: string) => untilFound(storeUrl, 'SELECT 1 FROM leases WHERE name = $1 AND waited', [name]);
/** A node waits for its turn to ask for the name. */
const untilQueued = (storeUrl: string, name: string) => untilFound(storeUrl, 'SELECT 1 FROM leases WHERE name = $1 AND queued', [name]);

/** The node has not found the name in the store. */
async function untilLookingUp(node: Gateway): Promise<void> {
  while (!/^gateway_flights 1$/m.test(await (await node.fetch('/metrics')).text()));
}

/** Keeps everybody from the answers. */
async function lockAnswers(storeUrl: string) {
  const client = new Client(storeUrl);
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE answers IN ACCESS EXCLUSIVE MODE');
  return {
    /** Does so for those who wait, as soon as there are any, if there are soon: who is late gives up. */
    ofThoseWhoWait: (perform: string) =>
      sql(
        storeUrl,
        `DO $$ BEGIN
          WHILE clock_timestamp() < now() + interval '1 s' LOOP
            ${perform} FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%SELECT name, verdict%';
            EXIT WHEN FOUND;
            PERFORM pg_stat_clear_snapshot();
          END LOOP;
        END $$`,
      ),
    unlock: () => client.query('COMMIT'),
    [Symbol.asyncDispose]: () => client.end(),
  };
}
