import { expect, it } from 'vitest';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { registered, status } from '../support/bodies/replies.ts';
import { scrape } from '../support/checks/scrape.ts';
import { subscribe } from '../support/requests/subscription.ts';

it('metrics contain no names, accounts, keys or request data', async () => {
  await using metered = await startMeteredGateway();
  const { gateway, registry } = metered;
  registry.on(/^secretly-taken/, ({ name }) => registered(name));
  registry.on(/^secretly-down/, status(500));
  const customer = await metered.newCustomer({ name: 'Secretive Customer' });
  for (const label of ['secretly-free', 'secretly-taken', 'secretly-down', 'secretly--_wrong']) {
    await customer.fetch(
      `/v1/status?name=${label}&tlds=example,tld1,secret-tld&skip_cache=${label}`,
    );
    await customer.fetch(`/v1/rdap?domain=${label}.example`);
    await customer.fetch(`/${label}.example/${customer.key}?secret-parameter=1`, {
      headers: { 'user-agent': 'secret-agent' },
    });
    await customer.fetch(`/v1/${label}.example`, { method: 'DELETE' });
    await customer.post(
      '/v1/status/bulk',
      { domains: [`${label}.example`] },
      { 'idempotency-key': 'secret-use' },
    );
    await customer.graphql(
      `query Secret { secretAlias: domain(name: "${label}.example") { available rdap { handle } } }`,
    );
    await gateway.fetch(`/v1/status?domain=${label}.example`, {
      headers: { 'x-api-key': `${label}-secret-key` },
    });
  }
  await using stream = await subscribe(
    { ...gateway, fetch: customer.fetch },
    'domains: ["secretly-free.example"]',
  );
  await stream.rest();
  const { text } = await scrape(gateway);
  expect(text).toContain('rdap_gateway_verdicts_total{verdict="REGISTERED"');
  for (const secret of [/secret/i, customer.key, customer.id, customer.key.slice(4, 24)])
    expect(text).not.toMatch(secret);
});
