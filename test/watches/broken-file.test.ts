import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';

it('is 503 while SQLite fails, and works again afterwards', async () => {
  await using metered = await startMeteredGateway();
  const customer = await metered.newCustomer();
  using file = new DatabaseSync(join(metered.folder, 'gateway-watches.db'));
  file.exec('ALTER TABLE feeds RENAME TO lost');
  const response = await customer.post('/v1/feeds', {});
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  const problem = await response.json();
  expect(problem).toMatchObject({ code: 'unavailable', retryable: true });
  expect(JSON.stringify(problem)).not.toMatch(/credit/i);

  file.exec('ALTER TABLE lost RENAME TO feeds');
  expect((await customer.post('/v1/feeds', {})).status).toBe(201);
});
