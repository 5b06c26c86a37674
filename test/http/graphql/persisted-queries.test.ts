import { expect, it } from 'vitest';
import { PersistedQueries } from '../../../src/http/graphql/persisted-queries.ts';

it('removes the least recently used documents once the total exceeds 4,000,000 bytes', () => {
  const persisted = new PersistedQueries();
  persisted.add('used', 'used');
  const added = Array.from({ length: 1000 }, (_, index) => {
    persisted.add(`${index}`, 'x'.repeat(16_000));
    expect(persisted.get('used')).toBe('used');
    return `${index}`;
  });
  const stored = added.filter((sha256Hash) => persisted.get(sha256Hash) !== undefined);
  expect(stored).toEqual(added.slice(-stored.length));
  expect(stored.length * 16_000).toBeLessThanOrEqual(4_000_000);
  expect(stored.length).toBeGreaterThan(240);
});

it('counts the overhead of each entry', () => {
  const persisted = new PersistedQueries();
  for (let index = 0; index < 100_000; index += 1) persisted.add(`${index}`, 'x');
  const stored = Array.from({ length: 100_000 }, (_, index) => persisted.get(`${index}`)).filter(
    Boolean,
  );
  expect(stored.length).toBeLessThan(20_000);
});

it('displaces the documents of the account that holds the most', () => {
  const persisted = new PersistedQueries();
  for (let index = 0; index < 20; index += 1) persisted.add(`a${index}`, 'a'.repeat(8_000), 'a');
  for (let index = 0; index < 20; index += 1) persisted.add(`b${index}`, 'b'.repeat(8_000), 'b');
  for (let index = 0; index < 1500; index += 1) persisted.add(`c${index}`, 'c'.repeat(16_000), 'c');
  const stored = (account: string, count: number) =>
    Array.from({ length: count }, (_, index) => persisted.get(`${account}${index}`)).filter(Boolean)
      .length;
  expect([stored('a', 20), stored('b', 20)]).toEqual([20, 20]);
  expect(stored('c', 1500)).toBeGreaterThan(200);
  expect(persisted.get('c1499')).toBeDefined();
});

it('leaves space for an account when others have filled it', () => {
  const persisted = new PersistedQueries();
  for (let index = 0; index < 1000; index += 1)
    persisted.add(`${index}`, 'x'.repeat(16_000), `account ${index % 10}`);
  persisted.add('new', 'n'.repeat(16_000), 'new account');
  for (let index = 1000; index < 2000; index += 1)
    persisted.add(`${index}`, 'x'.repeat(16_000), `account ${index % 10}`);
  expect(persisted.get('new')).toBeDefined();
});
