import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { commandLineEnvironment, runCommandLine } from '../support/gateways/command-line.ts';
import { frozenClock, type FrozenClock } from '../support/time/frozen-clock.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import {
  startMeteredFleet,
  type FleetCustomer,
  type MeteredFleet,
} from '../support/gateways/metered-fleet.ts';
import { postgresMissing } from '../support/stores/postgres.ts';
import { sharedPostgres } from '../support/stores/shared-postgres.ts';
import { projectFolder } from '../support/package/run.ts';
import { scratch } from '../support/stores/scratch.ts';
import { sql } from '../support/stores/sql.ts';

const skipped = postgresMissing ? ` (skipped: ${postgresMissing})` : '';
const watchesTables = 'src/storage/sqlite/migrations/watches-001-init.sql';
const dayMs = 24 * 60 * 60 * 1000;

const kidOf = ({ jws }: Json) =>
  JSON.parse(Buffer.from(jws.split('.')[0], 'base64url').toString()).kid;

describe.skipIf(postgresMissing)(`receipts of a cluster${skipped}`, () => {
  let clock: FrozenClock;
  let fleet: MeteredFleet;
  let customer: FleetCustomer;
  beforeEach(async () => {
    clock = frozenClock();
    fleet = await forThisTest(startMeteredFleet, sharedPostgres, 2, {
      clock,
      env: { RECEIPT_DAYS: '2' },
    });
    customer = await fleet.newCustomer();
  });

  const create = async (node: number, domain: string, headers: Record<string, string> = {}) => {
    const response = await customer.at(node).post('/v1/receipts', { domain }, headers);
    expect(response.status).toBe(201);
    return (await response.json()) as Json;
  };
  const statuses = ({ id }: Json) =>
    Promise.all(
      fleet.nodes.flatMap((node) =>
        [`/v1/receipts/${id}`, `/receipts/${id}`].map(
          async (path) => (await node.fetch(path)).status,
        ),
      ),
    );
  const keysAt = (node: number) => fleet.nodes[node]?.get('/.well-known/jwks.json');
  const rotate = async () => {
    const env = { ...commandLineEnvironment('/tmp'), STORE_URL: fleet.storeUrl };
    expect((await runCommandLine(['keys', 'signing', 'rotate'], env)).stderr).toBe('');
  };

  it('are read, repeated and deleted at every node', async () => {
    const made = await create(0, 'free.example', { 'idempotency-key': 'k' });
    expect(await statuses(made)).toEqual([200, 200, 200, 200]);
    expect(await fleet.nodes[1]?.get(`/v1/receipts/${made.id}`)).toEqual(made);
    expect(await create(1, 'free.example', { 'idempotency-key': 'k' })).toEqual(made);
    expect((await customer.balance()).used).toBe(5);
    const removed = await customer.at(1).fetch(`/v1/receipts/${made.id}`, { method: 'DELETE' });
    expect([removed.status, await statuses(made)]).toEqual([204, [404, 404, 404, 404]]);
  });

  it('expire after RECEIPT_DAYS, and are removed from the store', async () => {
    const made = await create(0, 'free.example');
    clock.advance(2 * dayMs);
    expect(await statuses(made)).toEqual([200, 200, 200, 200]);
    clock.advance(1);
    expect(await statuses(made)).toEqual([404, 404, 404, 404]);
    const count = () => sql(fleet.storeUrl, 'SELECT count(*)::int AS count FROM receipts');
    expect(await count()).toEqual([{ count: 1 }]);
    const env = { STORE_URL: fleet.storeUrl, RECEIPT_DAYS: '2' };
    await using third = await startGateway({ clock, env });
    await expect.poll(count).toEqual([{ count: 0 }]);
    expect((await third.fetch('/health')).status).toBe(200);
  });

  it('have one key, whichever node is first, and the next one at once at all nodes', async () => {
    const made = await Promise.all([0, 1, 0, 1].map((node) => create(node, 'nic.example')));
    const { keys: before } = await keysAt(0);
    expect([before.length, new Set(made.map(kidOf))]).toEqual([1, new Set([before[0].kid])]);
    await rotate();
    clock.advance(1);
    const later = await Promise.all([0, 1].map((node) => create(node, 'free.example')));
    const { keys: after } = await keysAt(1);
    expect([after.length, after[1]]).toEqual([2, before[0]]);
    expect(await keysAt(0)).toEqual({ keys: after });
    expect(new Set(later.map(kidOf))).toEqual(new Set([after[0].kid]));
    const privateParts = 'SELECT kid FROM signing_keys WHERE private_key IS NOT NULL';
    expect(await sql(fleet.storeUrl, privateParts)).toEqual([{ kid: after[0].kid }]);

    await using folder = await scratch();
    const [file, keysFile] = [join(folder.path, 'r.json'), join(folder.path, 'k.json')];
    await writeFile(keysFile, JSON.stringify({ keys: after }));
    for (const receipt of [made[3], later[1]]) {
      await writeFile(file, JSON.stringify(receipt));
      const env = commandLineEnvironment(folder.path);
      const verified = await runCommandLine(['verify', file, '--keys', keysFile], env);
      expect(verified).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it('are in a copy of the database, with their keys', async () => {
    const made = await create(0, 'free.example');
    const keys = await keysAt(0);
    await fleet[Symbol.asyncDispose]();
    const copy = new URL(fleet.storeUrl);
    const name = copy.pathname.slice(1);
    copy.pathname = `${name}_copy`;
    const other = await sharedPostgres.database();
    await sql(other, `CREATE DATABASE ${name}_copy TEMPLATE ${name}`);
    await using node = await startGateway({ clock, env: { STORE_URL: copy.href } });
    expect(await node.get(`/v1/receipts/${made.id}`)).toEqual(made);
    expect(await node.get('/.well-known/jwks.json')).toEqual(keys);
  });
});

describe('receipts in SQLite', () => {
  it('are in a backup with their keys, also of a file without the tables of receipts', async () => {
    await using folder = await scratch();
    const first = new DatabaseSync(join(folder.path, 'gateway-watches.db'));
    first.exec(await readFile(join(projectFolder, watchesTables), 'utf8'));
    first.exec('PRAGMA user_version = 1');
    first.close();
    const env = { STORE_URL: folder.storeUrl };
    await using gateway = await startGateway({ env });
    const made = await (await gateway.post('/v1/receipts', { domain: 'taken.test' })).json();
    const keys = await gateway.get('/.well-known/jwks.json');
    const backup = join(folder.path, 'backup.db');
    const environment = { ...commandLineEnvironment(folder.path), ...env };
    expect((await runCommandLine(['backup', backup], environment)).stderr).toBe('');
    await using restored = await startGateway({ env: { STORE_URL: `sqlite:${backup}` } });
    expect(await restored.get(`/v1/receipts/${made.id}`)).toEqual(made);
    expect(await restored.get('/.well-known/jwks.json')).toEqual(keys);
  });
});
