import { expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import { rememberRegistries } from '../../src/registries/remembered.ts';
import { memoryAnswers } from '../../src/storage/memory/answers.ts';
import { manualClock } from '../support/manual-clock.ts';
import { settled } from '../support/open-lane.ts';

const second = 1000;
const [one, other, third] = ['https://one.test', 'https://other.test', 'https://third.test'] as const;

it('a host that asked to be left alone is known at the next start for as long as it asked, and leaves no note behind', async () => {
  const [notes, clock, log] = [memoryAnswers(), manualClock(), createLog('silent')];
  const start = async () => rememberRegistries(notes, async () => 'unsent', clock, log);
  const noted = async () => Array.from((await notes.read('')).keys());
  const until = (seconds: number) => clock.now() + seconds * second;

  const { noteClosed } = await start();
  noteClosed(one, until(10));
  noteClosed(other, until(100));
  expect((await start()).closed).toEqual(new Map([one, other].map((origin, index) => [origin, until(index === 0 ? 10 : 100)])));

  noteClosed(one, until(20));
  clock.advance(10 * second);
  noteClosed(third, until(5));
  await settled();
  expect(await noted()).toEqual([one, other, third].map((origin) => `closed:${origin}`));

  clock.advance(10 * second);
  expect(Array.from((await start()).closed.keys())).toEqual([other]);
  await settled();
  expect(await noted()).toEqual([`closed:${other}`]);
});
