/** The middle of several measurements, and how far they lie apart. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** What is asked of a figure: of the ratio to the baseline, or of the figure itself where there is none. */
export type Target =
  { readonly atLeast: number; readonly aim?: number } | { readonly atMost: number };

/** One line of the table. */
export interface Figure {
  /** What it is called from one run to the next. */
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  readonly gateway: Spread;
  readonly baseline?: Spread;
  /** Gateway to baseline, measured side by side in each round; the figure itself where there is no baseline. */
  readonly ratio: Spread;
  readonly target: Target;
  readonly note?: string;
}

/** How much is measured. */
export interface Scale {
  readonly rounds: number;
  /** How long load is put on each side in each round. */
  readonly seconds: number;
  /** Names in the store that is called large. */
  readonly stored: number;
}

export const fullScale: Scale = { rounds: 7, seconds: 3, stored: 1_000_000 };
export const quickScale: Scale = { rounds: 3, seconds: 0.7, stored: 20_000 };

export type Side = () => Promise<number>;

/** What both sides came to, round by round. */
export type Pairs = readonly (readonly [gateway: number, baseline: number])[];

/** Rounds under load after which V8 has compiled what it will: a server runs for months. */
export const warmUps = 7;

/** Measures both sides in turn, so that whatever else the machine does meets both; some rounds before the first are thrown away. */
export async function alternate(
  rounds: number,
  gateway: Side,
  baseline: Side,
  thrownAway = 1,
): Promise<Pairs> {
  const pairs: [number, number][] = [];
  for (let round = -thrownAway; round < rounds; round++) {
    // Who goes first changes from round to round.
    const gatewayFirst = round % 2 === 0;
    const first = await (gatewayFirst ? gateway : baseline)();
    const second = await (gatewayFirst ? baseline : gateway)();
    if (round >= 0) pairs.push(gatewayFirst ? [first, second] : [second, first]);
  }
  return pairs;
}

type Labels = Pick<Figure, 'id' | 'what' | 'unit' | 'target' | 'note'>;

/** A figure with a baseline. */
export function compare(labels: Labels, pairs: Pairs): Figure {
  return {
    ...labels,
    gateway: spreadOf(pairs.map(([gateway]) => gateway)),
    baseline: spreadOf(pairs.map(([, baseline]) => baseline)),
    ratio: spreadOf(pairs.map(([gateway, baseline]) => gateway / baseline)),
  };
}

/** A figure that stands for itself. */
export function plain(labels: Labels, values: readonly number[]): Figure {
  const spread = spreadOf(values);
  return { ...labels, gateway: spread, ratio: spread };
}

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

/** Whether the middle of the rounds is as it should be. */
export function isMet({ ratio, target }: Figure): boolean {
  return 'atLeast' in target ? ratio.median >= target.atLeast : ratio.median <= target.atMost;
}
