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
  map.clear();
  for (const key of ['e', 'x', 'y']) map.set(key, 6);
  expect([...map.keys()]).toEqual(['e', 'x', 'y']);
});
