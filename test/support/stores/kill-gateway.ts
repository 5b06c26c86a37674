import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hashOf, generateKey } from '../../../src/accounts/api-key.ts';
import type { AccountStore } from '../../../src/accounts/store.ts';
import { expireReservations } from './expire-reservations.ts';
import { bootstrapOf, writeBootstrap } from '../servers/fake-bootstrap.ts';
import { startFakeRegistry } from '../servers/fake-registry.ts';
import { startProcess } from '../gateways/gateway-process.ts';
import type { KillReport } from './kill-ledger.ts';
import { callerWith } from '../gateways/metered-gateway.ts';
import { paidRequest, type PaidRequest } from '../requests/paid-requests.ts';
import type { Random } from '../time/random.ts';
import { html, registered } from '../bodies/replies.ts';
import { withLedger } from './ledger.ts';

/** A customer that sends one request at a time. */
interface Payer {
  readonly id: string;
  readonly key: string;
  /** Usage at the last audit. */
  used: number;
  /** Credits charged since then, according to `answers` responses. */
  acknowledged: number;
  answers: number;
  /** The request without a complete response. */
  pending: PaidRequest | undefined;
}

/**
 * Kills the gateway with SIGKILL under load, at times chosen by `random`, and compares the ledger
 * with the acknowledged charges after each restart.
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
  const payers = await withLedger(storeUrl, (store) => createPayers(store, customers));
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
    await withLedger(storeUrl, (store) => audit(store, payers, report));
    if (round === rounds) break;
    let remaining = 1 + random.below(maxResponses);
    const onAnswer = () =>
      --remaining === 0 && void wait(random.below(10)).then(() => gateway.kill('SIGKILL'));
    await Promise.all(payers.map((payer) => sendUntilKilled(payer, url, random, onAnswer)));
  }
  return report;
}

/** The gateway is killed within ten milliseconds after at most this many responses. */
const maxResponses = 200;

async function createPayers(store: AccountStore, count: number): Promise<readonly Payer[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const key = generateKey();
      const { id } = await store.create({ name: 'Payer', credits: 1e12, origins: [] }, hashOf(key));
      return { id, key, used: 0, acknowledged: 0, answers: 0, pending: undefined };
    }),
  );
}

async function sendUntilKilled(
  payer: Payer,
  url: string,
  random: Random,
  onAnswer: () => void,
): Promise<void> {
  const caller = callerWith(payer.key, (path, init) => fetch(new URL(path, url), init));
  for (;;) {
    const request = paidRequest(random);
    payer.pending = request;
    const completed = await undefinedIfDisconnected(request.send(caller));
    if (!completed) return;
    const { charged } = completed.cost;
    if (charged !== request.price)
      throw new Error(`${request.description} was charged ${charged}, and costs ${request.price}`);
    payer.pending = undefined;
    payer.acknowledged += charged;
    payer.answers += 1;
    onAnswer();
  }
}

/** Resolves to undefined if the connection was refused or aborted. */
async function undefinedIfDisconnected<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    // `fetch` distinguishes this from other errors only by the message.
    if (error instanceof TypeError && /^(?:fetch failed|terminated)$/.test(error.message))
      return undefined;
    throw error;
  }
}

/**
 * Compares the ledger with the acknowledged charges, after the reservations of the killed gateway
 * were refunded.
 */
async function audit(
  store: AccountStore,
  payers: readonly Payer[],
  report: KillReport,
): Promise<void> {
  for (const payer of payers) {
    const { used } = await store.balance(payer.id);
    const due = payer.used + payer.acknowledged;
    const undecided = payer.pending?.price ?? 0;
    report.acknowledged += payer.answers;
    report.undecided += payer.pending ? 1 : 0;
    report.lost += Math.max(0, due - used);
    // The undecided request is charged in full or not at all.
    report.doubled += used > due && used !== due + undecided ? used - due : 0;
    Object.assign(payer, { used, acknowledged: 0, answers: 0, pending: undefined });
  }
  report.discrepancies += (await store.check()).length;
}
