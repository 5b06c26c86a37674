import { expect, test } from 'vitest';
import { RecentMap } from '../src/recent-map.ts';

test('a map of recent keys holds the last so many that were set anew, and never more', () => {
  const map = new RecentMap<string, number>(3);
  for (const [value, key] of ['a', 'b', 'a', 'c', 'd'].entries()) map.set(key, value);
  expect([...map]).toEqual([
    ['b', 1],
    ['c', 3],
    ['d', 4],
  ]);
  map.delete('c');
  for (const key of ['c', 'e', 'f', 'g']) map.set(key, 5);
  expect([...map.keys()]).toEqual(['e', 'f', 'g']);
});

test('one that was cleared begins anew', () => {
  const map = new RecentMap<string, number>(3);
  for (const key of ['a', 'b', 'c']) map.set(key, 1);
  map.clear();
  for (const key of ['b', 'x']) map.set(key, 2);
  expect([...map.keys()]).toEqual(['b', 'x']);
});
