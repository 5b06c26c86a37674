import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../support/package/run.ts';
import { slowerRows } from './against.ts';
import { compare } from './figures.ts';
import { openOtherTree } from './other-tree.ts';

const bench = (...args: string[]) => run(process.execPath, ['test/bench/bench.ts', ...args]);

it('explains its options', async () => {
  const { code, stdout } = await bench('--help');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/--against REVISION/)]);
});

it('skips a revision that the clone does not have, and says so', async () => {
  const { code, stdout } = await bench('--against', '0'.repeat(40));
  expect([code, stdout]).toEqual([
    0,
    `Skipped: This clone has no commit ${'0'.repeat(40)}. In a shallow clone, fetch its history.\n`,
  ]);
});

it('extracts another commit with its packages', async () => {
  const tree = await openOtherTree('HEAD');
  if ('reason' in tree) throw new Error(tree.reason);
  for (const file of ['src/main.ts', 'package.json', 'node_modules/graphql/package.json'])
    expect(existsSync(join(tree.path, file))).toBe(true);
  await tree[Symbol.asyncDispose]();
  expect(existsSync(tree.path)).toBe(false);
});

it.each([
  [[2, 1.7, 1.9], true],
  [[2, 1.5, 9], false],
  [[0.5, 0.4, 1], false],
])('reports a loss of speed only if all rounds show it: %j', (ratios, isSlower) => {
  const labels = { id: 'row', what: 'row', unit: 'µs', target: { atMost: 1.6 } };
  const figure = compare(
    labels,
    ratios.map((ratio): [number, number] => [ratio * 100, 100]),
  );
  expect(slowerRows([figure])).toEqual(isSlower ? [figure] : []);
});
