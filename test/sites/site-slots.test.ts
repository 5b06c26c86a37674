import { expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { separateSlots } from '../../src/sites/site-slots.ts';
import { siteRequest } from '../support/bodies/site-requests.ts';

it('lets other sites be read while all slots of the sandbox are in use', async () => {
  const slots = separateSlots(systemClock, (domain) => domain.endsWith('.test'));
  const acquire = (account: string, domain: string) =>
    slots.acquire(siteRequest({ account, queueDeadline: 0 }), domain);
  const accounts = Array.from({ length: 65 }, (_, index) => `account-${index}`);
  const inSandbox = await Promise.all(
    accounts.map((account) => acquire(account, `${account}.test`)),
  );
  expect(inSandbox.filter(Boolean)).toHaveLength(64);
  expect(await acquire('account-0', 'shop.example')).toBeTypeOf('function');
});
