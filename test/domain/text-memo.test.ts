import { expect, it } from 'vitest';
import { TextMemo } from '../../src/domain/text-memo.ts';

it('a memo of texts holds at most so many characters, and forgets first what was used least recently', () => {
  const memo = new TextMemo<number>(60);
  const texts = Array.from({ length: 50 }, (_, index) => `text${String(index).padStart(2, '0')}`);
  for (const [index, text] of texts.entries()) {
    memo.set(text, index);
    memo.set(text, -1);
    expect([memo.get(text), memo.get('text00')]).toEqual([index, 0]);
  }
  const remembered = texts.slice(1).filter((text) => memo.get(text) !== undefined);
  expect(remembered).toEqual(texts.slice(-remembered.length));
  expect(remembered.length).toBeGreaterThan(2);
  expect(remembered.length).toBeLessThanOrEqual(10);
});
