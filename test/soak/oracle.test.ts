import { expect, it } from 'vitest';
import { runOracle } from './oracle.ts';

const answers = Number(process.env['ORACLE_ANSWERS'] ?? 3000);
const seed = Number(process.env['ORACLE_SEED'] ?? Date.now() % 2 ** 32);

it(
  `no answer is wrong or another name's, whatever the registries do (seed ${seed})`,
  { timeout: 20_000 + answers * 20 },
  async () => {
    const { wrong, checked, verdicts } = await runOracle({ answers, seed });
    expect(wrong.slice(0, 5)).toEqual([]);
    // Who says UNKNOWN to everything is never wrong.
    expect(verdicts['unknown']).toBeLessThan(checked / 2);
    for (const verdict of ['available', 'registered', 'reserved', 'redemption', 'pending_delete']) {
      expect(verdicts[verdict], verdict).toBeGreaterThan(0);
    }
  },
);

it(
  `no answer is wrong while registries lose all, one TLD or a tenth of their data and recover (seed ${seed})`,
  { timeout: 60_000 + answers * 20 },
  async () => {
    const { wrong, checked, verdicts, outages } = await runOracle({
      answers,
      seed,
      faults: 0.1,
      outages: 0.3,
    });
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(outages).toBeGreaterThan(0);
    expect(verdicts['unknown']).toBeLessThan(checked / 2);
    expect(verdicts['available']).toBeGreaterThan(0);
  },
);

it('a registry that lies is found out by this test', async () => {
  const { wrong } = await runOracle({ answers: 300, seed, lies: 0.1 });
  expect(wrong.some((line) => line.includes('not the truth'))).toBe(true);
});
