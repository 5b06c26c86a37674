import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hashOf, generateKey } from '../../src/accounts/api-key.ts';
import type { AccountStore } from '../../src/accounts/store.ts';
import { systemClock } from '../../src/clock.ts';
import { openAccounts } from '../../src/storage/open.ts';
import { expireReservations } from './expire-reservations.ts';
import { bootstrapOf, writeBootstrap } from './fake-bootstrap.ts';
import { startFakeRegistry } from './fake-registry.ts';
import { startProcess } from './gateway-process.ts';
import type { KillReport } from './killed-ledger.ts';
import { callerWith } from './metered-gateway.ts';
import { paidRequest, type PaidRequest } from './paid-requests.ts';
import type { Random } from './random.ts';
import { html, registered } from './replies.ts';

/** A customer who asks one thing at a time, and what he was told. */
interface Payer {
  readonly id: string;
  readonly key: string;
  /** What the ledger said when it was last looked at. */
  used: number;
  /** What he was told since then that he was charged, in so many answers. */
  acknowledged: number;
  answers: number;
  /** What he asked and was given no whole answer to. */
  underWay: PaidRequest | undefined;
}

/**
 * Kills the whole gateway with SIGKILL under load, at moments that `random` chooses, round after round, and after each start holds the ledger against what
 * the customers were told.
 */
export async function killGateway(
  rounds: number,
  folder: string,
  random: Random,
  customers = 16,
): Promise<KillReport> {
  await using parts = new AsyncDisposableStack();
  const registry = parts.use(await startFakeRegistry());
  registry.on(/^nic\./, ({ name }) => registered(name));
  registry.on(/^down/, html(404));
  const bootstrap = parts.use(await writeBootstrap(bootstrapOf({ example: registry.baseUrl })));
  const storeUrl = `sqlite:${join(folder, 'gateway.db')}`;
  const limits = { RATE_LIMIT: '0', RDAP_RATE: '0', RDAP_CONCURRENCY: '100' };
  const env = {
    PORT: '0',
    AUTH: 'required',
    STORE_URL: storeUrl,
    RDAP_BOOTSTRAP_URL: bootstrap.url,
    RDAP_ALLOW_PRIVATE: 'true',
    ...limits,
  };
  const payers = await withStore(storeUrl, (store) => createPayers(store, customers));
  const report: KillReport = {
    rounds,
    acknowledged: 0,
    undecided: 0,
    lost: 0,
    doubled: 0,
    discrepancies: 0,
  };
  for (let round = 0; round <= rounds; round++) {
    await expireReservations(storeUrl);
    await using gateway = startProcess(env);
    const { url } = await gateway.logged('listening');
    await withStore(storeUrl, (store) => audit(store, payers, report));
    if (round === rounds) break;
    let left = 1 + random.below(mostAnswers);
    const answered = () =>
      --left === 0 && void wait(random.below(10)).then(() => gateway.kill('SIGKILL'));
    await Promise.all(payers.map((payer) => askUntilGone(payer, url, random, answered)));
  }
  return report;
}

/** After so many answers at most, and within the next ten milliseconds, the gateway is killed. */
const mostAnswers = 200;

async function createPayers(store: AccountStore, count: number): Promise<readonly Payer[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const key = generateKey();
      const { id } = await store.create({ name: 'Payer', credits: 1e12, origins: [] }, hashOf(key));
      return { id, key, used: 0, acknowledged: 0, answers: 0, underWay: undefined };
    }),
  );
}

async function askUntilGone(
  payer: Payer,
  url: string,
  random: Random,
  answered: () => void,
): Promise<void> {
  const caller = callerWith(payer.key, (path, init) => fetch(new URL(path, url), init));
  for (;;) {
    const request = paidRequest(random);
    payer.underWay = request;
    const told = await orUndefined(request.ask(caller));
    if (!told) return;
    const { charged } = told.cost;
    if (charged !== request.price)
      throw new Error(`${request.what} was charged ${charged}, and costs ${request.price}`);
    payer.underWay = undefined;
    payer.acknowledged += charged;
    payer.answers += 1;
    answered();
  }
}

/** Undefined where the connection was refused or broke off. */
async function orUndefined<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    // By these messages alone `fetch` tells it from other mistakes.
    if (error instanceof TypeError && /^(?:fetch failed|terminated)$/.test(error.message))
      return undefined;
    throw error;
  }
}

/** The reservations of the gateway that was killed have been refunded. */
async function audit(
  store: AccountStore,
  payers: readonly Payer[],
  report: KillReport,
): Promise<void> {
  for (const payer of payers) {
    const { used } = await store.balance(payer.id);
    const owed = payer.used + payer.acknowledged;
    const undecided = payer.underWay?.price ?? 0;
    report.acknowledged += payer.answers;
    report.undecided += payer.underWay ? 1 : 0;
    report.lost += Math.max(0, owed - used);
    // Undecided is all or nothing.
    report.doubled += used > owed && used !== owed + undecided ? used - owed : 0;
    Object.assign(payer, { used, acknowledged: 0, answers: 0, underWay: undefined });
  }
  report.discrepancies += (await store.check()).length;
}

async function withStore<T>(
  storeUrl: string,
  work: (store: AccountStore) => Promise<T>,
): Promise<T> {
  const store = await openAccounts(storeUrl, { clock: systemClock, freeCredits: 0 });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
