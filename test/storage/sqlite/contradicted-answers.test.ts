import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { registered } from '../../support/bodies/replies.ts';
import { scratch } from '../../support/stores/scratch.ts';

it.each([
  ['', 0],
  [', even if its AVAILABLE was stored while the clock was ahead', 600_000],
])(
  'stores that a name was registered before the caller knows, so that no crash makes it available again%s',
  async (_when, aheadMs) => {
    await using folder = await scratch();
    await using registry = await startFakeRegistry();
    let ahead = aheadMs;
    const clock = { ...systemClock, now: () => systemClock.now() + ahead };
    await using gateway = await startGateway({
      clock,
      registries: { com: registry.baseUrl },
      env: { STORE_URL: folder.storeUrl },
    });
    using file = new DatabaseSync(join(folder.path, 'gateway-answers.db'), { readOnly: true });
    const storedVerdict = () =>
      file.prepare("SELECT verdict FROM answers WHERE name = 'alpha.com'").get()?.['verdict'];
    await gateway.get('/v1/status?domain=alpha.com');
    await expect.poll(storedVerdict).toBe('AVAILABLE');

    ahead = 0;
    registry.on('alpha.com', registered('alpha.com'));
    await expect(gateway.get('/v1/status?domain=alpha.com&max_age=0')).resolves.toMatchObject({
      results: [{ available: false }],
    });
    expect(storedVerdict()).toBe('REGISTERED');
  },
);
