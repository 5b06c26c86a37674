import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import { systemClock } from '../../../src/clock.ts';
import { createLog } from '../../../src/log.ts';
import { openStores } from '../../../src/storage/open.ts';
import { startProcess } from '../../support/gateway-process.ts';
import { postgresMissing, startPostgres, type Postgres } from '../../support/postgres.ts';
import { run } from '../../support/run.ts';
import { sql } from '../../support/sql.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';
const password = 'hunter2';
const plan = { name: 'Test', credits: 5, origins: ['https://app.example'] };
const open = (url: string) =>
  openStores(url, { clock: systemClock, freeCredits: 10 }, createLog('silent'));

/** The columns and functions of a database. */
const objects = `
  SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable AS object
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  ORDER BY object`;

describe.skipIf(postgresMissing)(`a gateway that starts on PostgreSQL${skipped}`, () => {
  let postgres: Postgres;
  let url: string;
  let parts: AsyncDisposableStack;
  beforeAll(async () => void (postgres = await startPostgres()));
  afterAll(() => postgres[Symbol.asyncDispose]());
  beforeEach(async () => {
    parts = new AsyncDisposableStack();
    url = await postgres.database();
  });
  afterEach(() => parts.disposeAsync());

  const openOne = async () => parts.adopt(await open(url), (stores) => stores.close());

  it('makes its tables by itself, also where five start at once', async () => {
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, openOne));
    const account = await first?.accounts.create(plan, hashOf(generateKey()));
    for (const { accounts } of others) expect(await accounts.list()).toEqual([account]);
  });

  it('leaves what is there as it is', async () => {
    const { accounts } = await openOne();
    const account = await accounts.create(plan, hashOf(generateKey()));
    expect(await (await openOne()).accounts.list()).toEqual([account]);
  });

  it('brings a database of the first release up to date, and refunds what was reserved in it', async () => {
    await sql(
      url,
      await readFile(new URL('../../fixtures/postgres-schema-2.sql', import.meta.url), 'utf8'),
    );
    await sql(
      url,
      'CREATE TABLE gateway_schema (version integer NOT NULL); INSERT INTO gateway_schema VALUES (2)',
    );
    await sql(url, `INSERT INTO accounts VALUES ('old', 'Old', 5, '{}', 1, NULL)`);
    const charge = (id: string, amount: number, node: string) =>
      sql(
        url,
        `SELECT granted FROM charge_credits('00000000-0000-0000-0000-00000000000${id}', 'old', ${amount}, ${node}, 0, NULL)`,
      );
    expect([await charge('1', 1, 'NULL'), await charge('2', 3, `'killed'`)]).toEqual([
      [{ granted: true }],
      [{ granted: true }],
    ]);
    const { accounts } = await openOne();
    const fresh = await postgres.database();
    parts.adopt(await open(fresh), (stores) => stores.close());
    expect(await sql(url, objects)).toEqual(await sql(fresh, objects));
    expect(await accounts.balance('old')).toMatchObject({ limit: 5, used: 4 });
    expect(await accounts.refundExpired()).toBe(1);
    expect([await accounts.balance('old'), await accounts.check()]).toMatchObject([
      { used: 1 },
      [],
    ]);
    await expect(charge('3', 1, 'NULL')).rejects.toThrow('charge_credits');
  });

  const elsewhere = (change: (place: URL) => void) => () => {
    const place = new URL(url);
    change(place);
    return place.href;
  };
  const faults: readonly (readonly [
    what: string,
    spoil: () => Promise<string> | string,
    told: string,
  ])[] = [
    [
      'a newer gateway wrote',
      async () => {
        await (await open(url)).close();
        await sql(url, 'UPDATE gateway_schema SET version = 99');
        return url;
      },
      'written by a newer version of this gateway; run that version, or restore a backup from before it',
    ],
    [
      'another program uses',
      async () => {
        await sql(url, 'CREATE TABLE accounts (id integer)');
        return url;
      },
      'name one of its own in STORE_URL',
    ],
    [
      'can only be read',
      async () => {
        await sql(
          url,
          `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`,
        );
        return url;
      },
      'name the primary in STORE_URL',
    ],
    [
      'keeps only the letters of some languages',
      async () => {
        const name = `latin_${Date.now()}`;
        await sql(url, `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
        return new URL(name, url).href;
      },
      "keeps texts in LATIN1; create it with ENCODING 'UTF8'",
    ],
    [
      'is not there',
      elsewhere((place) => (place.pathname = '/nowhere')),
      'create it, or name another one in STORE_URL',
    ],
    [
      'does not know its user',
      elsewhere((place) => (place.username = 'stranger')),
      'mend the user or the password in STORE_URL',
    ],
    [
      'cannot be reached',
      elsewhere((place) => (place.port = '1')),
      'see that PostgreSQL runs, and that STORE_URL names its host and port',
    ],
  ];

  it.each(faults)(
    'refuses a database that %s: it says what to do in one line without the password, and ends with 2',
    async (_, spoil, told) => {
      const place = new URL(await spoil());
      place.password = password;
      const env = { PORT: '0', STORE_URL: place.href };
      await using gateway = startProcess(env);
      const { code, stdout, stderr } = await gateway.ended;
      expect([code, stderr.trimEnd().split('\n').length]).toEqual([2, 1]);
      expect(stderr).toContain(`${place.host}${place.pathname}`);
      expect(stderr).toContain(told);
      expect(stdout + stderr).not.toContain(password);
      expect(await run(process.execPath, ['src/accounts/cli/keys.ts', 'list'], { env })).toEqual({
        code: 2,
        stdout: '',
        stderr,
      });
    },
  );

  it.each(['/', '#', '?'])(
    'repeats no password with a %s in it, which ends what is read as the host',
    async (sign) => {
      await expect(
        open(`postgres://127.0.0.1:1${sign}${password}@db.example/gateway`),
      ).rejects.not.toThrow(password);
    },
  );

  it('changes nothing of a database that it refuses', async () => {
    await sql(url, 'CREATE TABLE accounts (id integer)');
    await expect(open(url)).rejects.toThrow('another program');
    const tables = await sql(
      url,
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
    );
    expect(tables).toEqual([{ relname: 'accounts' }]);
  });
});
