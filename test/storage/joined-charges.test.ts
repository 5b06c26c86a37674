import { expect, it } from 'vitest';
import type { Call } from '../../src/storage/sqlite/accounts-file.ts';
import { joiningCharges } from '../../src/storage/sqlite/joined-charges.ts';

const charge = (accountId: string, month: string): Call => ({
  method: 'charge',
  args: [accountId, 1, true, { now: 0, month, freeCredits: 100 }],
});

const monthIn = (args: readonly unknown[]) => (args.at(-1) as { month: string }).month;

it('charges of two months are two, each in its own, and everybody is told of his', async () => {
  const committed: (readonly Call[])[] = [];
  const perform = joiningCharges(async (calls) => {
    committed.push(calls);
    return calls.map(({ args }) => ({ value: { entry: 1, limit: 100, used: 10, month: monthIn(args) } }));
  });
  const outcomes = await perform([charge('a', '2026-11'), charge('b', '2026-11'), charge('a', '2026-11'), charge('a', '2026-12')]);
  expect(committed.flat().map(({ method, args }) => [method, args[0], args[1]])).toEqual([
    ['chargeAll', 'a', [1, 1]],
    ['charge', 'b', 1],
    ['charge', 'a', 1],
  ]);
  const told = outcomes.map((outcome) => ('value' in outcome ? outcome.value : outcome));
  expect(told).toMatchObject([
    { used: 9, month: '2026-11' },
    { used: 10, month: '2026-11' },
    { used: 10, month: '2026-11' },
    { used: 10, month: '2026-12' },
  ]);
});
