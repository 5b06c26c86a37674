import { expect, it } from 'vitest';
import { prices } from '../../src/execution/charging/prices.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { notFound, status } from '../support/bodies/replies.ts';
import { scrape } from '../support/checks/scrape.ts';
import { paused } from '../support/bodies/scripts.ts';

const record = prices.record(1);

async function creditsAt(gateway: Parameters<typeof scrape>[0]) {
  const { sum } = await scrape(gateway);
  const [reserved, charged, refunded] = ['reserved', 'charged', 'refunded'].map((what) =>
    sum(`rdap_gateway_credits_${what}_total`),
  );
  return { reserved, charged, refunded };
}

it('counts credits that are reserved, charged and refunded', async () => {
  await using metered = await startMeteredGateway();
  const { gateway, registry } = metered;
  const slow = paused(notFound());
  registry.on('slow.example', slow);
  registry.on('down.example', status(500));
  const customer = await metered.newCustomer({ credits: 2 * record + 1 });

  const answer = customer.fetch('/v1/rdap?domain=slow.example');
  await registry.whenRequested('slow.example');
  expect(await creditsAt(gateway)).toEqual({ reserved: record, charged: 0, refunded: 0 });
  slow.release();
  await answer;
  expect(await creditsAt(gateway)).toEqual({ reserved: record, charged: record, refunded: 0 });

  // A cached answer is charged without a separate reservation.
  await customer.fetch('/v1/rdap?domain=slow.example');
  expect(await creditsAt(gateway)).toEqual({
    reserved: 2 * record,
    charged: 2 * record,
    refunded: 0,
  });

  await customer.fetch('/v1/status?domain=down.example');
  const atEnd = { reserved: 2 * record + 1, charged: 2 * record, refunded: 1 };
  expect(await creditsAt(gateway)).toEqual(atEnd);

  // A rejected operation reserves nothing.
  expect((await customer.fetch('/v1/rdap?domain=b.example')).status).toBe(402);
  expect(await creditsAt(gateway)).toEqual(atEnd);
});
