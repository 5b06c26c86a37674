import { expect, it } from 'vitest';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import { createBackoffs } from '../../support/stores/backoffs.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { settled } from '../../support/stores/open-queue.ts';

const second = 1000;
const [one, other, third] = [
  'https://one.test',
  'https://other.test',
  'https://third.test',
] as const;

it('a back-off applies after a restart until it ends, and is then deleted from the store', async () => {
  const [store, clock] = [new MemoryAnswers(), manualClock()];
  const start = async () => {
    const backoffs = createBackoffs(clock, store);
    await backoffs.start();
    return backoffs;
  };
  const stored = async () => Array.from((await store.read('')).keys());
  const untilOf = async (origin: string) => (await start()).until(origin);
  const after = (seconds: number) => clock.now() + seconds * second;

  const backoffs = await start();
  backoffs.add(one, after(10));
  backoffs.add(other, after(100));
  expect(await untilOf(one)).toEqual(after(10));
  expect(await untilOf(other)).toEqual(after(100));
  expect(await untilOf(third)).toBe(0);

  backoffs.add(one, after(20));
  clock.advance(10 * second);
  backoffs.add(third, after(5));
  await settled();
  expect(await stored()).toEqual([one, other, third].map((origin) => `closed:${origin}`));

  clock.advance(10 * second);
  expect(await untilOf(one)).toBe(0);
  expect(await untilOf(other)).toEqual(after(80));
  expect(await untilOf(third)).toBe(0);
  expect(await stored()).toEqual([`closed:${other}`]);
});
