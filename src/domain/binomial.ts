/** The two ends of an interval of shares, 0 to 1. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** The probability on each side of a two-sided 95 % interval. */
const tail = 0.025;
/** How often the interval is halved: until it is narrower than the precision of a number. */
const steps = 60;

/**
 * Returns the two-sided 95 % interval of Clopper and Pearson (Biometrika 26, 1934) for a share of
 * which `hits` were seen in `trials`: the shares for which neither so many nor so few hits are rarer
 * than 2.5 %. Without trials, every share is possible.
 */
export function clopperPearson(hits: number, trials: number): Interval {
  const shareAt = (probability: number, count: number) => {
    let [low, high] = [0, 1];
    for (let step = 0; step < steps; step += 1) {
      const share = (low + high) / 2;
      if (atMostProbability(count, trials, share) > probability) low = share;
      else high = share;
    }

    return (low + high) / 2;
  };
  return {
    lower: hits === 0 ? 0 : shareAt(1 - tail, hits - 1),
    upper: hits >= trials ? 1 : shareAt(tail, hits),
  };
}

/** Returns the probability of at most `count` hits in `trials`, for a share between 0 and 1. */
function atMostProbability(count: number, trials: number, share: number): number {
  // In logarithms, because the powers of small shares are less than the smallest number.
  const odds = Math.log(share) - Math.log1p(-share);
  let term = trials * Math.log1p(-share);
  let sum = Math.exp(term);
  for (let hits = 0; hits < count; hits += 1) {
    term += Math.log((trials - hits) / (hits + 1)) + odds;
    sum += Math.exp(term);
  }

  return sum;
}
