import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bootstrapOf, writeBootstrap } from '../support/fake-bootstrap.ts';
import { startProcess } from '../support/gateway-process.ts';
import { callerWith, costIn } from '../support/metered-gateway.ts';
import { startMeteredFleet, type MeteredFleet } from '../support/metered-fleet.ts';
import { postgresMissing, startPostgres, type Postgres } from '../support/postgres.ts';
import { notFound } from '../support/replies.ts';
import { held } from '../support/scripts.ts';
import { sql } from '../support/sql.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';

const until = { timeout: 10_000, interval: 50 };

describe.skipIf(postgresMissing)(`nodes that die${skipped}`, () => {
  let postgres: Postgres;
  beforeAll(async () => void (postgres = await startPostgres()));
  afterAll(() => postgres[Symbol.asyncDispose]());

  it('give back what they had set aside, by the hand of those that live, which keep their own', async () => {
    const patient = { RDAP_TIMEOUT_MS: '60000' };
    await using fleet = await startMeteredFleet(postgres, 2, { env: patient });
    const late = held(notFound());
    fleet.registry.on(/^late/, late);
    const customer = await fleet.newCustomer({ credits: 10 });
    const living = customer.at(0).fetch('/v1/rdap?domain=late-living.example');
    await fleet.registry.whenAsked('late-living.example');
    await using bootstrap = await writeBootstrap(bootstrapOf({ example: fleet.registry.baseUrl }));
    const env = {
      ...patient,
      PORT: '0',
      AUTH: 'required',
      STORE_URL: fleet.storeUrl,
      RDAP_BOOTSTRAP_URL: bootstrap.url,
      RDAP_ALLOW_PRIVATE: 'true',
    };
    await using doomed = startProcess(env);
    const { url } = await doomed.logged('listening');
    const dying = callerWith(customer.key, (path, init) => fetch(new URL(path, url), init)).fetch('/v1/rdap?domain=late-dying.example');
    const cut = expect(dying).rejects.toThrow('fetch failed');
    await fleet.registry.whenAsked('late-dying.example');
    expect([await setAside(fleet), await nodes(fleet)]).toEqual([2, 3]);

    doomed.kill('SIGKILL');
    await cut;
    await vi.waitFor(async () => expect(await setAside(fleet)).toBe(1), { ...until, timeout: 40_000 });
    await vi.waitFor(async () => expect(await nodes(fleet)).toBe(2), until);
    expect(await customer.balance()).toMatchObject({ used: 2 });
    late.release();
    expect(costIn(await living)).toMatchObject({ requested: 2, charged: 2, remaining: 8 });
    expect([await setAside(fleet), await fleet.ledger.check()]).toEqual([0, []]);
  }, 60_000);

  it('a database that was away makes nobody dead, however long', async () => {
    await using fleet = await startMeteredFleet(postgres, 2, { env: { RDAP_TIMEOUT_MS: '60000' } });
    const late = held(notFound());
    fleet.registry.on(/^late/, late);
    const customer = await fleet.newCustomer({ credits: 10 });
    const waiting = customer.at(0).fetch('/v1/rdap?domain=late.example');
    await fleet.registry.whenAsked('late.example');
    // What a database that was frozen for hours finds in its table.
    await sql(fleet.storeUrl, 'UPDATE nodes SET seen_at = 0');
    await vi.waitFor(async () => expect(await sql(fleet.storeUrl, 'SELECT id FROM nodes WHERE seen_at > 0')).toHaveLength(2), until);
    expect(await setAside(fleet)).toBe(1);
    late.release();
    expect(costIn(await waiting)).toMatchObject({ charged: 2, remaining: 8 });
  });

  it('a node that stops in order leaves at once', async () => {
    await using fleet = await startMeteredFleet(postgres, 2);
    expect(await nodes(fleet)).toBe(2);
    await fleet.nodes[0]?.[Symbol.asyncDispose]();
    expect(await nodes(fleet)).toBe(1);
  });
});

async function setAside({ storeUrl }: MeteredFleet): Promise<number> {
  return (await sql(storeUrl, 'SELECT charge FROM reservations')).length;
}

async function nodes({ storeUrl }: MeteredFleet): Promise<number> {
  return (await sql(storeUrl, 'SELECT id FROM nodes')).length;
}
