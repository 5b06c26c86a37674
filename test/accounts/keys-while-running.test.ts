import { describe, expect, it } from 'vitest';
import { generateKey, hashOf } from '../../src/accounts/api-key.ts';
import { systemClock } from '../../src/clock.ts';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { runKeys } from '../support/gateways/command-line.ts';

let offsetMs = 0;

const metered = await forThisFile(startMeteredGateway, {
  clock: { ...systemClock, elapsed: () => systemClock.elapsed() + offsetMs },
});

const path = '/v1/status?domain=a.test';

/** Runs the `keys` command on the ledger of the running gateway. */
async function keys(...args: readonly string[]): Promise<Json> {
  const { code, stdout, stderr } = await runKeys(`sqlite:${metered.folder}/gateway.db`, args);
  expect([code, stderr]).toEqual([0, '']);
  return args.includes('--json') ? JSON.parse(stdout) : stdout;
}

const statusWithKey = async (key: string, headers: Record<string, string> = {}) =>
  (await metered.gateway.fetch(path, { headers: { 'x-api-key': key, ...headers } })).status;

describe('the `keys` command, while the gateway is running,', () => {
  it('creates a key that works immediately, and revokes it within 2 seconds', async () => {
    const { id, key } = await keys('create', '--name', 'App', '--json');
    expect(await statusWithKey(key)).toBe(200);
    await keys('revoke', id);
    offsetMs += 2000;
    expect(await statusWithKey(key)).toBe(401);
  });

  it('rejects an expired key as invalid', async () => {
    const key = generateKey();
    const expiresAt = systemClock.now() - 1;
    await metered.ledger.create(
      { name: 'Past', credits: null, origins: [], expiresAt },
      hashOf(key),
    );
    const response = await metered.gateway.fetch(path, { headers: { 'x-api-key': key } });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'invalid_api_key' });
    await keys('set', 'Past', '--expires', '1d');
    offsetMs += 2000;
    expect(await statusWithKey(key)).toBe(200);
  });

  it('rotates a key, which still works alongside the new one', async () => {
    const { id, key } = await keys('create', '--name', 'App', '--json');
    const { key: fresh } = await keys('rotate', id, '--json');
    expect([await statusWithKey(key), await statusWithKey(fresh)]).toEqual([200, 200]);
    await keys('revoke', id);
    offsetMs += 2000;
    expect([await statusWithKey(key), await statusWithKey(fresh)]).toEqual([401, 401]);
  });

  it('changes the credits and origins of an account within 2 seconds', async () => {
    const { id, key } = await keys('create', '--name', 'App', '--credits', '0', '--json');
    const lookUp = async () =>
      (
        await metered.gateway.fetch('/v1/status?domain=a.example', {
          headers: { 'x-api-key': key },
        })
      ).status;
    expect(await lookUp()).toBe(402);
    await keys('set', id, '--credits', '1');
    expect([await lookUp(), await lookUp()]).toEqual([200, 402]);
    await keys('set', id, '--credits', '2', '--origin', 'https://app.example');
    offsetMs += 2000;
    expect(await lookUp()).toBe(403);
  });

  it('creates a key with --origin that works only from that origin', async () => {
    const { key } = await keys(
      'create',
      '--name',
      'Page',
      '--origin',
      'https://app.example',
      '--json',
    );
    expect(await statusWithKey(key, { origin: 'https://app.example' })).toBe(200);
    expect(await statusWithKey(key, { origin: 'https://other.example' })).toBe(403);
    expect(await statusWithKey(key)).toBe(403);
  });
});

it('a key is not required for endpoints without lookups', async () => {
  const paths = ['/health', '/ready', '/docs', '/openapi.json', '/', '/graphql'];
  const statuses = await Promise.all(
    paths.map(
      async (publicPath) =>
        (await metered.gateway.fetch(publicPath, { headers: { accept: 'text/html, */*' } })).status,
    ),
  );
  expect(statuses).toEqual(paths.map(() => 200));
  expect((await metered.gateway.fetch('/v1/status', { method: 'OPTIONS' })).status).toBe(204);
});
