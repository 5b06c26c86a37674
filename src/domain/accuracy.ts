import type { Interval } from './binomial.ts';
import type { DomainName } from './names/domain-name.ts';

/** How often AVAILABLE was wrong under a TLD, on all nodes together, and the 95 % interval of the share. */
export interface Accuracy extends Interval {
  readonly tld: string;
  /** The AVAILABLE answers that were judged again. */
  readonly sampled: number;
  /** Number of answers that an earlier registration date contradicts. */
  readonly contradicted: number;
  /** When the first of them was given; epoch ms. */
  readonly since: number;
}

/** The sample of AVAILABLE answers. A process without stores has an empty one. */
export interface AccuracySample {
  /** The TLDs in alphabetical order. */
  rows: readonly Accuracy[];
  /** Takes an answer, given at a time (epoch ms); absent if nothing is sampled. */
  take?: (name: DomainName, answeredAt: number) => void;
}

const dayMs = 24 * 60 * 60_000;

/**
 * Returns whether a registration date shows that a name was registered at a time (epoch ms). A date at
 * midnight may be a day without its time, which has to end before.
 */
export function wasRegisteredAt(createdAt: string, at: number): boolean {
  const created = Date.parse(createdAt);
  return created + (created % dayMs === 0 ? dayMs - 1 : 0) < at;
}
