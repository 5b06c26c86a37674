import { expect, it } from 'vitest';
import { createPersistedQueries } from '../../../src/api/graphql/graphql-request.ts';

it('removes the least recently used documents once the total exceeds 4,000,000 bytes', () => {
  const persisted = createPersistedQueries();
  persisted.set('used', 'used');
  const added = Array.from({ length: 1000 }, (_, index) => {
    persisted.set(`${index}`, 'x'.repeat(16_000));
    expect(persisted.get('used')).toBe('used');
    return `${index}`;
  });
  const stored = added.filter((sha256Hash) => persisted.get(sha256Hash) !== undefined);
  expect(stored).toEqual(added.slice(-stored.length));
  expect(stored.length * 16_000).toBeLessThanOrEqual(4_000_000);
  expect(stored.length).toBeGreaterThan(240);
});

it('counts the overhead of each entry', () => {
  const persisted = createPersistedQueries();
  for (let index = 0; index < 100_000; index += 1) persisted.set(`${index}`, 'x');
  const stored = Array.from({ length: 100_000 }, (_, index) => persisted.get(`${index}`)).filter(
    Boolean,
  );
  expect(stored.length).toBeLessThan(20_000);
});
