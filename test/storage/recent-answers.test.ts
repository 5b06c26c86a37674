import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { StoredAnswer } from '../../src/cache/store.ts';
import type { DomainName } from '../../src/domain/domain-name.ts';
import { recentAnswers } from '../../src/storage/sqlite/recent-answers.ts';

const answerOf = (name: string): StoredAnswer => ({
  name: name as DomainName,
  verdict: 'REGISTERED',
  endpoint: 'https://rdap.example/',
  checkedAt: 0,
  whole: true,
});

function recentOf(mostSize: number) {
  const recent = recentAnswers(mostSize);
  return {
    ...recent,
    keep: (name: string, size: number) => recent.keep(answerOf(name), 'verdict', size),
    use: (name: string) => recent.get(name as DomainName, 'verdict'),
    held: (names: string) => [...names].filter((name) => recent.has(name as DomainName, 'verdict')).join(''),
  };
}

test('recent answers are forgotten from the one on that was used least recently, as soon as all together are too long', () => {
  const recent = recentOf(30);
  for (const name of 'abc') recent.keep(name, 10);
  recent.use('a');
  recent.keep('d', 10);
  expect(recent.held('abcd')).toBe('acd');
  recent.keep('c', 20);
  expect(recent.held('abcd')).toBe('cd');
  recent.keep('e', 31);
  expect(recent.held('abcde')).toBe('');
});

test('that goes on after all were forgotten', () => {
  const recent = recentOf(30);
  for (const name of 'abcd') recent.keep(name, 10);
  recent.clear();
  for (const name of 'efgh') recent.keep(name, 10);
  expect(recent.held('abcdefgh')).toBe('fgh');
});

test('what was forgotten is gone from memory, too', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const recent = recentAnswers(1_000_000);
  const refs = Array.from({ length: 100 }, (_, index) => {
    const answer = answerOf(`n${index}`);
    recent.keep(answer, 'verdict', 10);
    return new WeakRef(answer);
  });
  recent.clear();
  await new Promise(setImmediate);
  collect();
  expect(refs.filter((ref) => ref.deref()).length).toBeLessThan(5);
});
