// Measures the charges per second of the ledger and the event loop delay, in SQLite and in a local
// PostgreSQL that syncs to disk like SQLite:
// `node test/bench/ledger.ts [callers] [seconds] [folder]`. Each charge reserves 2 credits and
// settles 1. For a disk that takes 50 ms:
// `strace -f -qq -o /dev/null -e trace=fsync,fdatasync -e inject=fsync,fdatasync:delay_exit=50000
// node test/bench/ledger.ts`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { hashOf, generateKey } from '../../src/accounts/api-key.ts';
import type { AccountStore } from '../../src/accounts/store.ts';
import { systemClock } from '../../src/clock.ts';
import { openAccounts } from '../../src/storage/open.ts';
import { openSqliteAccounts } from '../../src/storage/sqlite/accounts.ts';
import { startPostgres } from '../support/stores/postgres.ts';

const callers = Number(process.argv[2] ?? 32);
const seconds = Number(process.argv[3] ?? 3);
const folder = mkdtempSync(join(process.argv[4] ?? tmpdir(), 'ledger-'));
const options = { clock: systemClock, freeCredits: 1e12 };

try {
  await measure('in SQLite', await openSqliteAccounts(join(folder, 'ledger.db'), options));
  await using postgres = await startPostgres({ fsync: 'on' });
  await measure('in PostgreSQL', await openAccounts(await postgres.database(), options));
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(where: string, store: AccountStore): Promise<void> {
  const plan = { name: 'Test', credits: null, origins: [] };
  const accounts = await Promise.all(
    Array.from({ length: callers }, () => store.create(plan, hashOf(generateKey()))),
  );
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const durationsMs: number[] = [];
  const from = performance.now();
  delay.enable();
  await Promise.all(
    accounts.map(({ id }) => chargeUntil(from + seconds * 1000, store, id, durationsMs)),
  );
  delay.disable();
  const rate = Math.round((durationsMs.length / (performance.now() - from)) * 1000);
  durationsMs.sort((a, b) => a - b);
  const at = (share: number) =>
    Number((durationsMs[Math.floor(durationsMs.length * share)] ?? 0).toFixed(2));
  console.log(where, {
    callers,
    chargesPerSecond: rate,
    chargeMs: { median: at(0.5), p99: at(0.99) },
    loopDelayMs: {
      median: delayMs(delay.percentile(50)),
      p99: delayMs(delay.percentile(99)),
      longest: delayMs(delay.max),
    },
  });
  await store.close();
}

async function chargeUntil(
  end: number,
  store: AccountStore,
  id: string,
  durationsMs: number[],
): Promise<void> {
  while (performance.now() < end) {
    const from = performance.now();
    const result = await store.reserve(id, 2);
    if (result.granted) await store.settle(result.reservation, 1);
    durationsMs.push(performance.now() - from);
  }
}

/** Returns milliseconds, without the millisecond that the measurement itself waits. */
function delayMs(nanoseconds: number): number {
  return Number(Math.max(0, nanoseconds / 1e6 - 1).toFixed(1));
}
