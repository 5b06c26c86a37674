import { expect, it } from 'vitest';
import { killGateway } from '../../support/stores/kill-gateway.ts';
import { seededRandom } from '../../support/time/random.ts';
import { scratch } from '../../support/stores/scratch.ts';

const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 2 ** 32);

// `node test/soak/credits-kill.ts 300` runs more rounds.
it(
  `a gateway killed under load loses no acknowledged charge and charges nothing twice (seed ${seed})`,
  { timeout: 120_000 },
  async () => {
    await using folder = await scratch();
    const report = await killGateway(3, folder.path, seededRandom(seed));
    expect(report).toMatchObject({ lost: 0, doubled: 0, discrepancies: 0 });
    expect(report.acknowledged).toBeGreaterThan(0);
    expect(report.undecided).toBeLessThanOrEqual(3 * 16);
  },
);
