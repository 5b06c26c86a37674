import type { Clock } from '../../clock.ts';
import type { DomainName } from '../../domain/names/domain-name.ts';
import { random, type Chance } from '../chance.ts';
import { isEncodable } from './message.ts';
import type { ZoneReply } from './zone-query.ts';

/**
 * How a zone answers for a name that does not exist. `nxdomain`, `nodata`: as it should. `failed`:
 * with a delegation, an alias or addresses, so its answers prove nothing. `incomplete`: no usable
 * answer yet.
 */
type RandomNameResult = 'nxdomain' | 'nodata' | 'failed' | 'incomplete';

/**
 * The last result of a control that was completed. It is not `recent`, and proves nothing, if the
 * control after it got no answer: meanwhile, the zone may have begun to answer in another way.
 */
export interface NegativeControl {
  readonly result: RandomNameResult;
  readonly isRecent: boolean;
  /** When a control last passed, in epoch ms; undefined if none has. */
  readonly passedAt: number | undefined;
}

export interface ZoneControlsOptions {
  readonly zone: string;
  readonly clock: Clock;
  /** How many delegations count between two controls: a zone may begin to delegate every name. */
  readonly maxUnverified: number;
  readonly query: (name: string) => Promise<ZoneReply>;
  /** Returns names that are probably delegated. */
  readonly samples: () => readonly DomainName[];
  readonly chance?: Chance | undefined;
}

interface Control<Result> {
  readonly result: Promise<Result>;
  /** By `clock.elapsed()`; infinite while the control is running. */
  validUntil: number;
}

const validMs = 3_600_000;
const failedValidMs = 5 * 60_000;
const retryMs = 30_000;
/** A server that delegates a name replies, so a control that got no answer is soon repeated. */
const retryOfDelegationMs = 1000;
const maxSamples = 3;

/**
 * Checks once per hour, and after a number of delegations, whether the servers of a zone distinguish
 * names that exist from names that do not.
 */
export class ZoneControls {
  readonly #options: ZoneControlsOptions;
  #negative: Control<NegativeControl> | undefined;
  #lastResult: RandomNameResult = 'incomplete';
  #passedAt: number | undefined;
  /** When a negative control last got no answer, until one is completed, by `clock.elapsed()`. */
  #unansweredAt: number | undefined;
  #positive: Control<boolean> | undefined;
  /** When a name was last found to be delegated, by `clock.elapsed()`. */
  #delegatedAt = -Infinity;
  /** The delegations since the last negative control began. */
  #unverified = 0;

  constructor(options: ZoneControlsOptions) {
    this.#options = options;
  }

  /** Looks up a random name, or returns the last result if it is recent. Never rejects. */
  negative(): Promise<NegativeControl> {
    const last = this.#negative;
    if (last && this.#isCurrent(last)) return last.result;

    this.#unverified = 0;
    this.#negative = this.#start(async () => {
      const result = await this.#queryRandomName();
      const isRecent = result !== 'incomplete';
      this.#unansweredAt = isRecent ? undefined : this.#options.clock.elapsed();
      if (isRecent) this.#lastResult = result;
      if (isRecent && result !== 'failed') this.#passedAt = this.#options.clock.now();

      const completedMs = result === 'failed' ? failedValidMs : validMs;
      return {
        result: { result: this.#lastResult, isRecent, passedAt: this.#passedAt },
        validMs: isRecent ? completedMs : retryMs,
      };
    });

    return this.#negative.result;
  }

  /** Returns the negative control that applies to a delegation. Never rejects. */
  ofDelegation(): Promise<NegativeControl> {
    const last = this.#negative;
    const isRunning = last?.validUntil === Infinity;
    const isDue =
      this.#unansweredAt === undefined
        ? this.#unverified >= this.#options.maxUnverified
        : this.#options.clock.elapsed() - this.#unansweredAt >= retryOfDelegationMs;
    if (last && !isRunning && isDue) last.validUntil = -Infinity;

    const result = this.negative();
    this.#unverified += 1;
    return result;
  }

  /**
   * Resolves to whether a name of the zone was found to be delegated within the last hour; looks up
   * sample names if necessary. Never rejects.
   */
  positive(): Promise<boolean> {
    if (this.#options.clock.elapsed() - this.#delegatedAt < validMs) return Promise.resolve(true);
    if (this.#positive && this.#isCurrent(this.#positive)) return this.#positive.result;

    this.#positive = this.#start(async () => {
      const result = await this.#querySamples();
      return { result, validMs: retryMs };
    });

    return this.#positive.result;
  }

  recordDelegated(): void {
    this.#delegatedAt = this.#options.clock.elapsed();
  }

  #isCurrent({ validUntil }: Control<unknown>): boolean {
    return this.#options.clock.elapsed() < validUntil;
  }

  #start<Result>(run: () => Promise<{ result: Result; validMs: number }>): Control<Result> {
    const control: Control<Result> = {
      validUntil: Infinity,
      result: run().then((finished) => {
        control.validUntil = this.#options.clock.elapsed() + finished.validMs;
        return finished.result;
      }),
    };
    return control;
  }

  async #queryRandomName(): Promise<RandomNameResult> {
    const { zone, chance = random } = this.#options;
    const name = `${chance.label(zone)}.${zone}`;
    if (!isEncodable(name)) return 'incomplete';
    const reply = await this.#options.query(name);
    if (reply.kind === 'none') return reply.failures.has('intercepted') ? 'failed' : 'incomplete';
    return reply.kind === 'nxdomain' || reply.kind === 'nodata' ? reply.kind : 'failed';
  }

  async #querySamples(): Promise<boolean> {
    const { zone, query, samples } = this.#options;
    const names = samples().filter((name) => name.endsWith(`.${zone}`));
    for (const name of names.slice(0, maxSamples)) {
      const { kind } = await query(name);
      // A server that delegates every name does not show that it knows this one.
      if (kind === 'delegated' && isPassed(await this.negative())) {
        this.recordDelegated();
        return true;
      }
    }

    return false;
  }
}

/** Returns whether the servers of the zone distinguish names, so that a delegation is evidence. */
export function isPassed({ result, isRecent }: NegativeControl): boolean {
  return isRecent && result !== 'failed';
}
