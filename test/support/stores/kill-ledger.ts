import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import type { AccountStore } from '../../../src/accounts/store.ts';
import { expireReservations } from './expire-reservations.ts';
import { withLedger } from './ledger.ts';

/** The outcome of repeated kills. */
export interface KillReport {
  readonly rounds: number;
  /** Acknowledged operations. */
  acknowledged: number;
  /** Operations in progress at a kill, which may or may not have been charged. */
  undecided: number;
  /** Acknowledged credits that are missing from the ledger. */
  lost: number;
  /** Credits in the ledger that no operation accounts for. */
  doubled: number;
  /** Months whose counter is not the sum of their entries. */
  discrepancies: number;
}

/**
 * Kills a charging process at random times, and compares the ledger with the acknowledged charges
 * after each kill.
 */
export async function killRounds(
  rounds: number,
  path: string,
  accountCount = 32,
): Promise<KillReport> {
  const report: KillReport = {
    rounds,
    acknowledged: 0,
    undecided: 0,
    lost: 0,
    doubled: 0,
    discrepancies: 0,
  };
  const url = `sqlite:${path}`;
  const free = { freeCredits: 1e12 };
  const expected = await withLedger(url, (store) => createAccounts(store, accountCount), free);
  for (let round = 0; round < rounds; round++) {
    const lines = await chargeAndKill(path, [...expected.keys()]);
    await expireReservations(url);
    await withLedger(
      url,
      async (store) => {
        for (const id of expected.keys())
          expected.set(
            id,
            await audit(store, id, expected.get(id) ?? 0, lines.get(id) ?? [], report),
          );
        report.discrepancies += (await store.check()).length;
      },
      free,
    );
  }
  return report;
}

/** Creates accounts. Returns the usage of each. */
async function createAccounts(store: AccountStore, count: number): Promise<Map<string, number>> {
  const plan = { name: 'Test', credits: null, origins: [] };
  const accounts = await Promise.all(
    Array.from({ length: count }, () => store.create(plan, hashOf(generateKey()))),
  );
  return new Map(accounts.map(({ id }) => [id, 0]));
}

interface Line {
  readonly word: string;
  readonly amount: number;
}

async function chargeAndKill(
  path: string,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Line[]>> {
  const script = join(import.meta.dirname, 'charging-process.ts');
  const logPath = `${path}.charges`;
  const child = spawn(process.execPath, [script, path, logPath, ...accountIds], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  child.stdout.once('data', () => void wait(Math.random() * 200).then(() => child.kill('SIGKILL')));
  const [code, signal]: unknown[] = await ended;
  if (signal !== 'SIGKILL')
    throw new Error(`The charging process exited with code ${String(code)}.`);
  const lines = new Map<string, Line[]>(accountIds.map((id) => [id, []]));
  for (const line of (await readFile(logPath, 'utf8')).split('\n')) {
    const [word = '', id = '', amount] = line.split(' ');
    lines.get(id)?.push({ word, amount: Number(amount) });
  }
  return lines;
}

/** Returns the current usage of an account, and adds its outcome to `report`. */
async function audit(
  store: AccountStore,
  id: string,
  before: number,
  lines: readonly Line[],
  report: KillReport,
): Promise<number> {
  const done = lines.filter(({ word }) => word === 'done');
  const last = lines.at(-1);
  const undecided = last?.word === 'started' ? last.amount : 0;
  const { used } = await store.balance(id);
  const due = before + done.reduce((sum, { amount }) => sum + amount, 0);
  report.acknowledged += done.length;
  report.undecided += last?.word === 'started' ? 1 : 0;
  report.lost += Math.max(0, due - used);
  // The undecided operation is charged in full or not at all.
  report.doubled += used > due && used !== due + undecided ? used - due : 0;
  return used;
}
