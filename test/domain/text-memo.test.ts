import { expect, it } from 'vitest';
import { TextMemo } from '../../src/domain/text-memo.ts';

it('a memo of texts holds at most so many characters, and forgets the older half first', () => {
  const memo = new TextMemo<string>(100);
  const texts = Array.from({ length: 50 }, (_, index) => `text${String(index).padStart(2, '0')}`);
  for (const text of texts) {
    memo.set(text, 'four');
    memo.set(text, 'again');
    expect(memo.get(text)).toBe('four');
  }
  const remembered = texts.filter((text) => memo.get(text) !== undefined);
  expect(remembered).toEqual(texts.slice(-remembered.length));
  expect(remembered.length * 10).toBeGreaterThan(50);
  expect(remembered.length * 10).toBeLessThanOrEqual(100);
});
