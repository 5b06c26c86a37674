import { expect, it } from 'vitest';
import { simulateDay } from './simulated-day.ts';

// `node test/soak/simulated-day.ts` simulates a whole day.
it('queries registries for the names that people search for, and for little else', async () => {
  const { searches, unknown, wrong, rdap, dns } = await simulateDay(15, 1);
  expect({ searches, unknown, wrong }).toEqual({ searches: 15, unknown: [], wrong: [] });
  expect(rdap.background).toBeGreaterThan(0);
  // Canaries of TLDs in which nobody searches are not refreshed.
  expect({ rdap: rdap.unused, dns: dns.unused }).toEqual({ rdap: 0, dns: 0 });
  const { busiest, total, byHost } = rdap;
  expect(Object.values(byHost).reduce((sum, count) => sum + count, 0)).toBe(total);
  expect(byHost[busiest.host]).toBe(busiest.total);
});
