import { expect, it } from 'vitest';
import { clopperPearson } from '../../src/domain/binomial.ts';

// From the tables of the beta distribution, as R's binom.test prints them.
it.each([
  [0, 10, 0, 0.3084971],
  [1, 10, 0.002528579, 0.4450161],
  [5, 10, 0.187086, 0.812914],
  [10, 10, 0.6915029, 1],
  [0, 100, 0, 0.0362167],
  [2, 100, 0.002431337, 0.07038393],
  [0, 1, 0, 0.975],
  [0, 0, 0, 1],
  [0, 1_000_000, 0, 3.688873e-6],
])('the interval of %i in %i is %f to %f', (hits, trials, lower, upper) => {
  const interval = clopperPearson(hits, trials);
  expect(interval.lower).toBeCloseTo(lower, 7);
  expect(interval.upper).toBeCloseTo(upper, 6);
});
