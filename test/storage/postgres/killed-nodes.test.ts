import { describe, expect, it, vi } from 'vitest';
import { prices } from '../../../src/execution/charging/prices.ts';
import { bootstrapOf, writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { startProcess } from '../../support/gateways/gateway-process.ts';
import { callerWith, costIn } from '../../support/gateways/metered-gateway.ts';
import { startMeteredFleet, type MeteredFleet } from '../../support/gateways/metered-fleet.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { notFound } from '../../support/bodies/replies.ts';
import { paused } from '../../support/bodies/scripts.ts';
import { expireReservations } from '../../support/stores/expire-reservations.ts';
import { sql } from '../../support/stores/sql.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';

const until = { timeout: 10_000, interval: 50 };

const record = prices.record(1);

const start = () => startMeteredFleet(sharedPostgres, 2, { env: { RDAP_TIMEOUT_MS: '60000' } });

describe.skipIf(postgresMissing)(`reservations of a cluster${skipped}`, () => {
  it('are refunded by another node if their node was killed, but not if it is running', async () => {
    await using fleet = await start();
    const pausedReply = paused(notFound());
    fleet.registry.on(/^late/, pausedReply);
    const customer = await fleet.newCustomer({ credits: 10 });
    const running = customer.at(0).fetch('/v1/rdap?domain=late-running.example');
    await fleet.registry.whenRequested('late-running.example');
    const runningCharge = (await reservations(fleet))[0]?.charge;
    await using bootstrap = await writeBootstrap(bootstrapOf({ example: fleet.registry.baseUrl }));
    const env = {
      RDAP_TIMEOUT_MS: '60000',
      PORT: '0',
      AUTH: 'required',
      STORE_URL: fleet.storeUrl,
      RDAP_BOOTSTRAP_URL: bootstrap.url,
      RDAP_ALLOW_PRIVATE: 'true',
    };
    await using killed = startProcess(env);
    const { url } = await killed.logged('listening');
    const lostRequest = callerWith(customer.key, (path, init) =>
      fetch(new URL(path, url), init),
    ).fetch('/v1/rdap?domain=late-killed.example');
    const failed = expect(lostRequest).rejects.toThrow('fetch failed');
    await fleet.registry.whenRequested('late-killed.example');
    expect(await reservations(fleet)).toHaveLength(2);

    killed.kill('SIGKILL');
    await failed;
    // Simulates a minute later: the running node has extended its reservation.
    await sql(
      fleet.storeUrl,
      `UPDATE reservations SET expires_at = 0 WHERE charge <> '${runningCharge}'`,
    );
    await using other = await startGateway({ env: { STORE_URL: fleet.storeUrl } });
    expect((await other.fetch('/ready')).status).toBe(200);
    await vi.waitFor(
      async () => expect(await reservations(fleet)).toEqual([{ charge: runningCharge }]),
      until,
    );
    expect(await customer.balance()).toMatchObject({ used: record });
    pausedReply.release();
    expect(costIn(await running)).toMatchObject({
      requested: record,
      charged: record,
      remaining: 10 - record,
    });
    expect([await reservations(fleet), await fleet.ledger.check()]).toEqual([[], []]);
  }, 60_000);

  it('are still charged when they are settled after they expired, as in a suspended node', async () => {
    await using fleet = await start();
    const pausedReply = paused(notFound());
    fleet.registry.on(/^late/, pausedReply);
    const customer = await fleet.newCustomer({ credits: 10 });
    const pending = customer.at(0).fetch('/v1/rdap?domain=late.example');
    await fleet.registry.whenRequested('late.example');
    expect(await expireReservations(fleet.storeUrl)).toBe(1);
    expect((await customer.balance()).used).toBe(0);
    pausedReply.release();
    expect(costIn(await pending)).toMatchObject({ charged: record, remaining: 10 - record });
    expect([(await customer.balance()).used, await fleet.ledger.check()]).toEqual([record, []]);
  });
});

async function reservations({ storeUrl }: MeteredFleet): Promise<Json[]> {
  return sql(storeUrl, 'SELECT charge FROM reservations WHERE amount > 0 ORDER BY charge');
}
