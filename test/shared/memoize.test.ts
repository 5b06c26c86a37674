import { expect, it } from 'vitest';
import { once, onceFulfilled } from '../../src/shared/memoize.ts';

it('once returns the first result, also a rejected promise, and runs again after an exception', async () => {
  let runs = 0;
  const count = once((step: number) => (runs += step));
  expect([count(1), count(2), runs]).toEqual([1, 1, 1]);

  const rejected = once(async () => Promise.reject(new Error(`run ${(runs += 1)}`)));
  await expect(rejected()).rejects.toThrow('run 2');
  await expect(rejected()).rejects.toThrow('run 2');

  const thrown = once(() => {
    throw new Error(`run ${(runs += 1)}`);
  });
  expect(thrown).toThrow('run 3');
  expect(thrown).toThrow('run 4');
});

it('onceFulfilled shares one promise between callers, and runs again after a rejection', async () => {
  const tries: PromiseWithResolvers<string>[] = [];
  const made = onceFulfilled(() => {
    const next = Promise.withResolvers<string>();
    tries.push(next);
    return next.promise;
  });
  const failed = Promise.allSettled([made(), made()]);
  tries[0]?.reject(new Error('too many open files'));
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const both = Promise.all([made(), made()]);
  tries[1]?.resolve('the page');
  expect(await both).toEqual(['the page', 'the page']);
  expect(await made()).toBe('the page');
  expect(tries).toHaveLength(2);
});
