import { afterAll, expect, it } from 'vitest';
import { killDeliveries } from '../support/stores/kill-deliveries.ts';
import { missing, openStores } from './stores.ts';

/** `KILL_ROUNDS=1000` for the proof in full, which takes half an hour. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 10);

const stores = openStores();
afterAll(() => stores[Symbol.asyncDispose]());

it.concurrent.each(['sqlite', 'postgres'] as const)(
  'loses no change if the process is killed between look, log and delivery: %s',
  { timeout: 60_000 + rounds * 6000 },
  async (kind) => {
    if (missing(kind) !== undefined) return;
    await (await stores.open(kind)).close();
    const report = await killDeliveries(rounds, stores.place(kind), () => stores.open(kind, true));
    expect(report).toMatchObject({ unlogged: 0, undelivered: 0, wrong: 0 });
    expect(report.changes).toBeGreaterThanOrEqual(rounds);
  },
);
