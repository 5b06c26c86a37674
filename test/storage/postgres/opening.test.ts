import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import { systemClock } from '../../../src/clock.ts';
import { createLog } from '../../../src/log.ts';
import { openStores } from '../../../src/storage/open.ts';
import { startProcess } from '../../support/gateways/gateway-process.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { runKeys } from '../../support/gateways/command-line.ts';
import { sql } from '../../support/stores/sql.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';
const password = 'hunter2';
const plan = { name: 'Test', credits: 5, origins: ['https://app.example'] };
const open = (url: string) =>
  openStores(url, { clock: systemClock, freeCredits: 10 }, createLog('silent'));

/** Lists the columns, functions and indexes of a database. */
const objects = `
  SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable AS object
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  ORDER BY object`;

describe.skipIf(postgresMissing)(`opening a PostgreSQL database${skipped}`, () => {
  let url: string;
  beforeEach(async () => void (url = await sharedPostgres.database()));

  const openStore = async (at = url) => {
    const stores = await open(at);
    onTestFinished(() => stores.close());
    return stores;
  };

  it('creates the tables, also if five processes start concurrently', async () => {
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, openStore));
    const account = await first?.accounts.create(plan, hashOf(generateKey()));
    for (const { accounts } of others) expect(await accounts.list()).toMatchObject([account]);
  });

  it('does not change existing data', async () => {
    const { accounts } = await openStore();
    const account = await accounts.create(plan, hashOf(generateKey()));
    expect(await (await openStore()).accounts.list()).toMatchObject([account]);
  });

  it('migrates a database of the first release, and refunds its reservations', async () => {
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
    expect(await charge('1', 1, 'NULL')).toEqual([{ granted: true }]);
    expect(await charge('2', 3, `'killed'`)).toEqual([{ granted: true }]);
    const { accounts } = await openStore();
    const fresh = await sharedPostgres.database();
    await openStore(fresh);
    expect(await sql(url, objects)).toEqual(await sql(fresh, objects));
    expect(await accounts.balance('old')).toMatchObject({ limit: 5, used: 4 });
    expect(await accounts.list()).toMatchObject([{ id: 'old', role: null, rate: null }]);
    expect(await accounts.refundExpired()).toBe(1);
    expect(await accounts.balance('old')).toMatchObject({ used: 1 });
    expect(await accounts.check()).toMatchObject([]);
    await expect(charge('3', 1, 'NULL')).rejects.toThrow('charge_credits');
  });

  const withUrl = (change: (target: URL) => void) => () => {
    const target = new URL(url);
    change(target);
    return target.href;
  };
  const faults: Readonly<
    Record<string, { readonly prepare: () => Promise<string> | string; readonly message: string }>
  > = {
    'was written by a newer gateway': {
      prepare: async () => {
        await (await open(url)).close();
        await sql(url, 'UPDATE gateway_schema SET version = 99');
        return url;
      },
      message:
        'written by a newer version of this gateway. Run that version, or restore a backup from before the upgrade',
    },
    'contains tables of another program': {
      prepare: async () => {
        await sql(url, 'CREATE TABLE accounts (id integer)');
        return url;
      },
      message: 'Set STORE_URL to a separate database',
    },
    'is read-only': {
      prepare: async () => {
        await sql(
          url,
          `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`,
        );
        return url;
      },
      message: 'Set STORE_URL to the primary',
    },
    'does not use UTF-8': {
      prepare: async () => {
        const name = `latin_${Date.now()}`;
        await sql(url, `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
        return new URL(name, url).href;
      },
      message: "uses the encoding LATIN1. Create it with ENCODING 'UTF8'",
    },
    'does not exist': {
      prepare: withUrl((target) => (target.pathname = '/nowhere')),
      message: 'Create it, or set STORE_URL to another database',
    },
    'rejects the user': {
      prepare: withUrl((target) => (target.username = 'unknown')),
      message: 'Check the user and password in STORE_URL',
    },
    'is unreachable': {
      prepare: withUrl((target) => (target.port = '1')),
      message: 'Check that PostgreSQL is running and that STORE_URL contains its host and port',
    },
  };

  it.each(Object.entries(faults))(
    'fails for a database that %s, with one line without the password and exit code 2',
    async (_, { prepare, message }) => {
      const target = new URL(await prepare());
      target.password = password;
      const { code, stdout, stderr } = await runKeys(target.href, ['list']);
      expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([2, '', 1]);
      expect(stderr).toContain(`${target.host}${target.pathname}`);
      expect(stderr).toContain(message);
      expect(stderr).not.toContain(password);
    },
  );

  it('fails in the same way when a gateway starts', async () => {
    await sql(url, 'CREATE TABLE accounts (id integer)');
    const keys = await runKeys(url, ['list']);
    await using gateway = startProcess({ PORT: '0', STORE_URL: url });
    expect(await gateway.ended).toMatchObject(keys);
  });

  it.each(['/', '#', '?'])(
    'does not print a password that contains %s, which ends the host part of the URL',
    async (sign) => {
      await expect(
        open(`postgres://127.0.0.1:1${sign}${password}@db.example/gateway`),
      ).rejects.not.toThrow(password);
    },
  );

  it('does not change a database that it rejects', async () => {
    await sql(url, 'CREATE TABLE accounts (id integer)');
    await expect(open(url)).rejects.toThrow('another program');
    const tables = await sql(
      url,
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
    );
    expect(tables).toEqual([{ relname: 'accounts' }]);
  });
});
