import { describe, expect, it } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import { postgresMissing, startPostgres } from '../../support/postgres.ts';
import { scrape, scrapeUntil } from '../../support/scrape.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';

describe.skipIf(postgresMissing)(`the figures of a gateway over PostgreSQL${skipped}`, () => {
  it('say while the database is away, and are there all the same', async () => {
    await using postgres = await startPostgres();
    await using gateway = await startGateway({ env: { STORE_URL: await postgres.database() } });
    const up = 'rdap_gateway_database_up';
    expect((await scrape(gateway)).sum(up)).toBe(1);
    await postgres.kill();
    await gateway.fetch('/ready'); // looks whether it is there
    expect((await scrape(gateway)).sum(up)).toBe(0);
    await postgres.start();
    expect((await scrapeUntil(gateway, ({ sum }) => sum(up) === 1)).sum(up)).toBe(1);
  });
});
