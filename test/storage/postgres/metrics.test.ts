import { describe, expect, it } from 'vitest';
import { startGateway } from '../../support/gateways/gateway.ts';
import { postgresMissing, startPostgres } from '../../support/stores/postgres.ts';
import { scrape, scrapeUntil } from '../../support/checks/scrape.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';

describe.skipIf(postgresMissing)(`the metrics of a gateway with PostgreSQL${skipped}`, () => {
  it('are available while the database is down, and report that', async () => {
    await using postgres = await startPostgres();
    await using gateway = await startGateway({ env: { STORE_URL: await postgres.database() } });
    const up = 'rdap_gateway_database_up';
    expect((await scrape(gateway)).sum(up)).toBe(1);
    await postgres.kill();
    await gateway.fetch('/ready'); // probes the database
    expect((await scrape(gateway)).sum(up)).toBe(0);
    await postgres.start();
    expect((await scrapeUntil(gateway, ({ sum }) => sum(up) === 1)).sum(up)).toBe(1);
  });
});
