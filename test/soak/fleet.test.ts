import { expect, it } from 'vitest';
import { postgresMissing } from '../support/stores/postgres.ts';
import { runFleet } from './fleet.ts';

const seed = Number(process.env['FLEET_SEED'] ?? Date.now() % 2 ** 32);

// `node test/soak/fleet.ts 300` runs longer.
it.skipIf(postgresMissing)(
  `three nodes, one of which is killed every two seconds, lose and double no credits, return no wrong verdicts, and fail only the requests of killed nodes (seed ${seed})`,
  { timeout: 240_000 },
  async () => {
    const report = await runFleet({ seconds: 5, nodes: 3, killEveryMs: 2000, customers: 4, seed });
    const exact = { creditsLost: 0, creditsDoubled: 0, discrepancies: 0 };
    expect(report).toMatchObject({ failed: [], wrong: [], ...exact });
    expect(report.kills).toBeGreaterThan(0);
    expect(report.lostWithNode).toBeLessThanOrEqual(report.kills * 4);
    expect(report.answeredWhile.killing * report.answeredWhile.restarting).toBeGreaterThan(0);
    for (const verdict of ['available', 'registered'])
      expect(report.verdicts[verdict], verdict).toBeGreaterThan(0);
  },
);
