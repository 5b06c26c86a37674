// Charges accounts in a closed loop, one operation at a time per account, and logs when each starts
// and is acknowledged: `node test/support/stores/charging-process.ts PATH LOG ACCOUNT…`. Prints `ready`
// when it starts.
import { openSync, writeSync } from 'node:fs';
import type { AccountStore } from '../../../src/accounts/store.ts';
import { systemClock } from '../../../src/clock.ts';
import { openAccounts } from '../../../src/storage/open.ts';

const [path, logPath = '', ...accountIds] = process.argv.slice(2);
// Lines are written synchronously to a file, which, unlike a pipe, is never full: a line written
// before a SIGKILL is not lost.
const log = openSync(logPath, 'w');
const store = await openAccounts(`sqlite:${path}`, { clock: systemClock, freeCredits: 1e12 });
console.log('ready');
await Promise.all(accountIds.map((id) => chargeForever(store, id)));

async function chargeForever(accounts: AccountStore, id: string): Promise<never> {
  for (;;) {
    const reserved = Math.ceil(Math.random() * 5);
    const charged = Math.floor(Math.random() * (reserved + 1));
    const isDirect = Math.random() < 0.3;
    const amount = isDirect ? reserved : charged;
    writeSync(log, `started ${id} ${amount}\n`);
    await (isDirect
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
  if (!result.granted) throw new Error('The reservation was refused.');
  await accounts.settle(result.reservation, charged);
}
