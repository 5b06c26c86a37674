/** The median and range of several measurements. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The target for a ratio to the baseline, or for the figure itself without a baseline. */
export type Target =
  { readonly atLeast: number; readonly aim?: number } | { readonly atMost: number };

/** A line of the table. */
export interface Figure {
  /** Identifies the figure across runs. */
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  readonly gateway: Spread;
  readonly baseline?: Spread;
  /**
   * Gateway to baseline, measured alternately in each round; without a baseline, the figure itself.
   */
  readonly ratio: Spread;
  readonly target: Target;
  readonly note?: string;
}

/** The extent of a run. */
export interface Scale {
  readonly rounds: number;
  /** Duration of the load on each side per round. */
  readonly seconds: number;
  /** Number of names in the large store. */
  readonly stored: number;
}

/** The default extent. */
export const fullScale: Scale = { rounds: 7, seconds: 3, stored: 1_000_000 };
/** The extent of `--quick`. */
export const quickScale: Scale = { rounds: 3, seconds: 0.7, stored: 20_000 };

/** Measures one side. */
export type Measurement = () => Promise<number>;

/** The results of both sides per round. */
export type Pairs = readonly (readonly [gateway: number, baseline: number])[];

/** Rounds after which V8 has compiled all hot code, as in a server that has run for long. */
export const warmUpRounds = 7;

/**
 * Measures both sides alternately, so that other load on the machine affects both. The first rounds
 * are discarded.
 */
export async function alternate(
  rounds: number,
  gateway: Measurement,
  baseline: Measurement,
  discardedRounds = 1,
): Promise<Pairs> {
  const pairs: [number, number][] = [];
  for (let round = -discardedRounds; round < rounds; round++) {
    // The sides alternate in going first.
    const gatewayFirst = round % 2 === 0;
    const first = await (gatewayFirst ? gateway : baseline)();
    const second = await (gatewayFirst ? baseline : gateway)();
    if (round >= 0) pairs.push(gatewayFirst ? [first, second] : [second, first]);
  }
  return pairs;
}

type Labels = Pick<Figure, 'id' | 'what' | 'unit' | 'target' | 'note'>;

/** Returns a figure with a baseline. */
export function compare(labels: Labels, pairs: Pairs): Figure {
  return {
    ...labels,
    gateway: spreadOf(pairs.map(([gateway]) => gateway)),
    baseline: spreadOf(pairs.map(([, baseline]) => baseline)),
    ratio: spreadOf(pairs.map(([gateway, baseline]) => gateway / baseline)),
  };
}

/** Returns a figure without a baseline. */
export function plain(labels: Labels, values: readonly number[]): Figure {
  const spread = spreadOf(values);
  return { ...labels, gateway: spread, ratio: spread };
}

/** Returns the median and range of values. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    min: at(0),
    max: at(sorted.length - 1),
  };
}

/** Returns whether the median meets the target. */
export function isMet({ ratio, target }: Figure): boolean {
  return 'atLeast' in target ? ratio.median >= target.atLeast : ratio.median <= target.atMost;
}
