import { describe, expect, it } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import { postgresMissing, startPostgres } from '../../support/postgres.ts';
import { scrape, scrapeUntil } from '../../support/scrape.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';

describe.skipIf(postgresMissing)(`the figures of a gateway over PostgreSQL${skipped}`, () => {
  it('say while the database is away, and are there all the same', async () => {
    await using postgres = await startPostgres();
    await using gateway = await startGateway({ env: { STORE_URL: await postgres.database() } });
    const away = 'gateway_database_away';
    expect((await scrape(gateway)).sum(away)).toBe(0);
    await postgres.kill();
    await gateway.fetch('/ready'); // looks whether it is there
    expect((await scrape(gateway)).sum(away)).toBe(1);
    await postgres.start();
    expect((await scrapeUntil(gateway, ({ sum }) => sum(away) === 0)).sum(away)).toBe(0);
  });
});
