import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import type { AccountStore } from '../../../src/accounts/store.ts';
import { ConfigError } from '../../../src/config.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { runKeys } from '../../support/gateways/command-line.ts';
import { bootstrapOf, writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startFakeRegistry, type FakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { startProcess, type GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { callerWith } from '../../support/gateways/metered-gateway.ts';
import { registered } from '../../support/bodies/replies.ts';
import { run } from '../../support/package/run.ts';
import { scratch, type Scratch } from '../../support/stores/scratch.ts';
import { withLedger } from '../../support/stores/ledger.ts';

let folder: Scratch;
let registry: FakeRegistry;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await forThisTest(scratch);
  registry = await forThisTest(startFakeRegistry);
  registry.on(/^nic\./, ({ name }) => registered(name));
  const bootstrap = await forThisTest(writeBootstrap, bootstrapOf({ example: registry.baseUrl }));
  env = {
    PORT: '0',
    AUTH: 'required',
    STORE_URL: folder.storeUrl,
    RDAP_BOOTSTRAP_URL: bootstrap.url,
    RDAP_ALLOW_PRIVATE: 'true',
  };
});

const ledger = () => join(folder.path, 'gateway.db');

describe('a gateway fails to start', () => {
  const faults: Readonly<
    Record<string, { readonly damage: () => Promise<void> | void; readonly remedy: string }>
  > = {
    'was written by a newer gateway': {
      damage: damagedBy('PRAGMA user_version = 99'),
      remedy: 'Run that version, or restore a backup from before the upgrade',
    },
    'was written by another program': {
      damage: damagedBy('DROP TABLE counters'),
      remedy: 'Restore it from a backup, or move it away',
    },
    'is not a database': {
      damage: () => writeFileSync(ledger(), 'Dear diary, '.repeat(1000)),
      remedy: 'Restore it from a backup, or move it away',
    },
    'is a folder': { damage: () => mkdirSync(ledger()), remedy: 'Set STORE_URL to a file' },
  };

  it.each(Object.entries(faults))(
    'on a ledger that %s: with one line that has a remedy, and exit code 2',
    async (_, { damage, remedy }) => {
      await damage();
      const error: unknown = await startGateway({ env }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConfigError);
      const { exitCode, message } = error as ConfigError;
      expect([exitCode, message.split('\n').length]).toEqual([2, 1]);
      expect(message).toContain(ledger());
      expect(message).toContain(remedy);
      expect(await runKeys(folder.storeUrl, ['list'])).toMatchObject({
        code: 2,
        stderr: `${message}\n`,
      });
    },
  );
});

function damagedBy(sql: string): () => Promise<void> {
  return async () => {
    await withLedger(folder.storeUrl, async (store) => void (await newAccount(store)));
    const database = new DatabaseSync(ledger());
    database.exec(sql);
    database.close();
  };
}

const { code: noLimits } = await run('prlimit', ['--fsize=0:', 'true']).catch(() => ({ code: 1 }));

// A process with a file size limit of 0 behaves as on a full disk; setting it needs prlimit.
describe.skipIf(noLimits !== 0)('on a full disk', () => {
  it('a running gateway is not ready, looks up and charges nothing, and recovers when space is free', async () => {
    const account = await withLedger(folder.storeUrl, newAccount);
    const gateway = await forThisTest(startProcess, env, await nodeIgnoringSizeLimit());
    const { url } = await gateway.logged('listening');
    await withLedger(folder.storeUrl, async (store) => {
      const customer = callerWith(account.key, (path, init) => fetch(new URL(path, url), init));
      expect((await customer.fetch('/v1/status?domain=a.example')).status).toBe(200);
      await limitFileSize(gateway, '0');
      const requestsBefore = registry.requests.length;
      for (const send of [
        () => customer.fetch('/v1/status?domain=b.example'),
        () => customer.fetch('/v1/status?domain=a.example'), // cached
        () => customer.graphql('{ domain(name: "c.example") { rdap { handle } } }'),
        () =>
          customer.post(
            '/v1/status/bulk',
            { domains: ['d.example', 'e.example'] },
            { accept: 'application/x-ndjson' },
          ),
      ]) {
        const answer = await send();
        expect(answer.status).toBe(503);
        expect(await answer.text()).toContain('"unavailable"');
      }
      expect((await customer.fetch('/ready')).status).toBe(503);
      expect(registry.requests).toHaveLength(requestsBefore);
      expect(await store.balance(account.id)).toMatchObject({ used: 1 });
      await limitFileSize(gateway, 'unlimited');
      await expect.poll(async () => (await customer.fetch('/ready')).status).toBe(200);
      expect((await customer.fetch('/v1/status?domain=b.example')).status).toBe(200);
      expect(await store.balance(account.id)).toMatchObject({ used: 2 });
      expect(await store.check()).toEqual([]);
    });
    gateway.kill('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('watches and receipts are refused, with one line in the log', async () => {
    const gateway = await forThisTest(
      startProcess,
      { ...env, AUTH: 'auto' },
      await nodeIgnoringSizeLimit(),
    );
    const { url } = await gateway.logged('listening');
    await limitFileSize(gateway, '0');
    const headers = { 'content-type': 'application/json' };
    for (const [path, body] of [
      ['/v1/watches', { domains: ['taken.test'] }],
      ['/v1/receipts', { domain: 'taken.test' }],
      ['/graphql', { query: 'mutation { createReceipt(domain: "taken.test") { id } }' }],
    ] as const) {
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(new URL(path, url), init);
      expect(await response.text()).toContain('"unavailable"');
    }
    gateway.kill('SIGTERM');
    const { stdout } = await gateway.ended;
    const lines = stdout
      .split('\n')
      .map((line): { level: string; msg: string } => JSON.parse(line));
    expect(lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([
      expect.objectContaining({
        level: 'error',
        msg: expect.stringMatching(/^Watches and receipts cannot be stored\./),
        reason: expect.stringMatching(/full|I\/O/),
      }),
    ]);
  });

  it('a gateway fails to start with one line', async () => {
    await withLedger(folder.storeUrl, newAccount);
    const node = await script(`trap '' XFSZ; ulimit -f 0; exec '${process.execPath}' "$@"`);
    await using gateway = startProcess(env, node);
    const { code, stderr } = await gateway.ended;
    expect([code, stderr.trimEnd().split('\n').length]).toEqual([2, 1]);
  });
});

/** The signal SIGXFSZ of a rejected write would end the process, which a full disk does not. */
function nodeIgnoringSizeLimit(): Promise<string> {
  return script(`trap '' XFSZ; exec '${process.execPath}' "$@"`);
}

async function script(line: string): Promise<string> {
  const path = join(folder.path, 'node');
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function limitFileSize({ pid }: GatewayProcess, bytes: string): Promise<void> {
  expect(await run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])).toMatchObject({
    code: 0,
    stderr: '',
  });
}

async function newAccount(store: AccountStore): Promise<{ id: string; key: string }> {
  const key = generateKey();
  const { id } = await store.create({ name: 'Customer', credits: 100, origins: [] }, hashOf(key));
  return { id, key };
}
