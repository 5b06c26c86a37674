import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import { systemClock } from '../../src/clock.ts';
import { openStores, StoreUnusable } from '../../src/storage/open.ts';
import { holdMark } from '../../src/storage/sqlite/mark.ts';
import { scratch, type Scratch } from '../support/scratch.ts';

let folder: Scratch;
let path: string;
beforeEach(async () => {
  folder = await scratch();
  path = join(folder.path, 'gateway.db');
});
afterEach(() => folder[Symbol.asyncDispose]());

it('is had by one, and after him by who came second, so that a third finds it taken', async () => {
  const first = holdMark(path);
  const second = holdMark(path);
  expect([first.wasFree, second.wasFree]).toEqual([true, false]);
  first.close();
  const third = () => {
    const mark = holdMark(path);
    mark.close();
    return mark.wasFree;
  };
  await expect.poll(third, { timeout: 10_000 }).toBe(false);
  second.close();
  expect(third()).toBe(true);
});

it('that cannot be made is a refusal to start that names it', async () => {
  writeFileSync(`${path}-mark`, 'no database at all '.repeat(500));
  const opened = openStores(folder.storeUrl, { clock: systemClock, freeCredits: 1 }, createLog('silent'));
  await expect(opened).rejects.toThrow(StoreUnusable);
  await expect(opened).rejects.toThrow(`${path}-mark`);
});
