// Charges accounts as fast as it can, one operation at a time for each, and writes down when each begins and when it is acknowledged:
// `node test/support/charging-process.ts PATH LOG ACCOUNT…`. Says `ready` once it begins.
import { openSync, writeSync } from 'node:fs';
import type { AccountStore } from '../../src/accounts/store.ts';
import { systemClock } from '../../src/clock.ts';
import { openAccounts } from '../../src/storage/open.ts';

const [path, logPath = '', ...accountIds] = process.argv.slice(2);
// Nothing that is written waits in this process, and a file, unlike a pipe, is never full: what was said before a SIGKILL was said.
const log = openSync(logPath, 'w');
const store = await openAccounts(`sqlite:${path}`, { clock: systemClock, freeCredits: 1e12 });
console.log('ready');
await Promise.all(accountIds.map((id) => chargeForever(store, id)));

async function chargeForever(accounts: AccountStore, id: string): Promise<never> {
  for (;;) {
    const reserved = Math.ceil(Math.random() * 5);
    const charged = Math.floor(Math.random() * (reserved + 1));
    const atOnce = Math.random() < 0.3;
    const amount = atOnce ? reserved : charged;
    writeSync(log, `begun ${id} ${amount}\n`);
    await (atOnce
      ? accounts.charge(id, amount)
      : reserveAndSettle(accounts, id, reserved, charged));
    writeSync(log, `done ${id} ${amount}\n`);
  }
}

async function reserveAndSettle(
  accounts: AccountStore,
  id: string,
  amount: number,
  charged: number,
): Promise<void> {
  const result = await accounts.reserve(id, amount);
  if (!result.granted) throw new Error('there was enough');
  await accounts.settle(result.reservation, charged);
}
