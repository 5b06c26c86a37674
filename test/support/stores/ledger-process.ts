// Opens a ledger and charges until it fails, then again once space is free: `node
// test/support/stores/ledger-process.ts PATH [FILLER]`. FILLER is a file that fills the remaining space.
// Prints the outcome.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import {
  LedgerUnavailableError,
  reservationExpiryMs,
  type AccountStore,
} from '../../../src/accounts/store.ts';
import { systemClock } from '../../../src/clock.ts';
import { openAccounts } from '../../../src/storage/open.ts';

const [path, filler] = process.argv.slice(2);
let passedMs = 0;
const clock = { ...systemClock, now: () => systemClock.now() + passedMs };
const options = { clock, freeCredits: 1e12 };

try {
  const store = await openAccounts(`sqlite:${path}`, options);
  if (filler !== undefined) console.log(JSON.stringify(await chargeUntilFull(store, filler)));
  await store.close();
} catch (error) {
  const { name, message } = error as Error;
  console.log(JSON.stringify({ name, message }));
}

async function chargeUntilFull(store: AccountStore, fillerPath: string) {
  const hash = hashOf(generateKey());
  const { id } = await store.create({ name: 'Test', credits: null, origins: [] }, hash);
  const { reservation } = (await store.reserve(id, 10)) as {
    reservation: Parameters<AccountStore['settle']>[0];
  };
  fillUp(fillerPath);
  const granted = await chargeUntilRefused(store, id);
  const settled = await store.settle(reservation, 3).catch(nameOf);
  const whenFull = {
    granted,
    settled,
    used: (await store.balance(id)).used,
    found: (await store.findByHash(hash))?.id === id,
  };
  const probed = await store.probe().catch(nameOf);
  rmSync(fillerPath);
  const { granted: afterwards } = await store.charge(id, 1);
  passedMs = reservationExpiryMs;
  return {
    ...whenFull,
    probed,
    afterwards,
    refunded: await store.refundExpired(),
    usedAtLast: (await store.balance(id)).used,
    check: await store.check(),
  };
}

async function chargeUntilRefused(store: AccountStore, id: string): Promise<number> {
  for (let granted = 0; ; granted++) {
    try {
      await store.charge(id, 1);
    } catch (error) {
      if (error instanceof LedgerUnavailableError) return granted;
      throw error;
    }
  }
}

function fillUp(fillerPath: string): void {
  const file = openSync(fillerPath, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch {
    closeSync(file);
  }
}

function nameOf({ name }: Error): string {
  return name;
}
