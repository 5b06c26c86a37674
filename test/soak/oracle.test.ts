import { expect, it } from 'vitest';
import { runOracle } from './oracle.ts';

const answers = Number(process.env['ORACLE_ANSWERS'] ?? 300);
const seed = Number(process.env['ORACLE_SEED'] ?? Date.now() % 2 ** 32);

it(
  `returns no wrong answer, and none of another name, despite registry faults (seed ${seed})`,
  { timeout: 20_000 + answers * 20 },
  async () => {
    const { wrong, checked, verdicts, sources } = await runOracle({ answers, seed });
    expect(wrong.slice(0, 5)).toEqual([]);
    // Returning UNKNOWN for everything would never be wrong.
    expect(verdicts['unknown']).toBeLessThan(checked / 2);
    for (const verdict of ['available', 'registered', 'reserved', 'redemption', 'pending_delete']) {
      expect(verdicts[verdict], verdict).toBeGreaterThan(0);
    }
    for (const source of ['rdap', 'das', 'whois', 'dns'])
      expect(sources[source], source).toBeGreaterThan(0);
  },
);

it(
  `returns no wrong answer while registries lose data, zones and availability services fail or are wrong, and all recover (seed ${seed})`,
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

it('detects wrong answers if a registry lies', async () => {
  const { wrong } = await runOracle({ answers: 400, seed, lies: 0.3 });
  expect(wrong.some((line) => line.includes('a wrong verdict'))).toBe(true);
});
