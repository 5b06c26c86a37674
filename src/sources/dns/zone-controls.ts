import { randomInt } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import { isEncodable } from './message.ts';
import type { ZoneReply } from './zone-query.ts';

/**
 * How a zone answers for a name that does not exist. `nxdomain`, `nodata`: as it should. `failed`:
 * with a delegation, an alias or addresses, so its answers prove nothing. `incomplete`: no usable
 * answer.
 */
export type NegativeControl = 'nxdomain' | 'nodata' | 'failed' | 'incomplete';

export interface ZoneControlsOptions {
  readonly zone: string;
  readonly clock: Clock;
  readonly query: (name: string) => Promise<ZoneReply>;
  /** Returns names that are probably delegated. */
  readonly samples: () => readonly DomainName[];
}

const validMs = 3_600_000;
const failedRetryMs = 5 * 60_000;
const incompleteRetryMs = 30_000;
const randomLabelLength = 24;
const maxSamples = 3;

/**
 * Checks once per hour whether the servers of a zone distinguish names that exist from names that do
 * not.
 */
export class ZoneControls {
  readonly #options: ZoneControlsOptions;
  #negative: Control<NegativeControl> | undefined;
  #positive: Control<boolean> | undefined;
  /** When a name was last found to be delegated, by `clock.elapsed()`. */
  #delegatedAt = -Infinity;

  constructor(options: ZoneControlsOptions) {
    this.#options = options;
  }

  /** Looks up a random name, or returns the last result if it is recent. Never rejects. */
  negative(): Promise<NegativeControl> {
    const { clock } = this.#options;
    if (this.#negative && clock.elapsed() < this.#negative.validUntil) return this.#negative.result;
    const previous = this.#negative?.result;
    const control: Control<NegativeControl> = {
      validUntil: Infinity,
      result: this.#runNegative().then(async (result) => {
        control.validUntil = clock.elapsed() + validityOf(result);
        // Until a control is completed, the result of the previous one applies.
        return result === 'incomplete' && previous ? previous : result;
      }),
    };
    this.#negative = control;
    return control.result;
  }

  /**
   * Resolves to whether a name of the zone was found to be delegated within the last hour; looks up
   * sample names if necessary. Never rejects.
   */
  positive(): Promise<boolean> {
    const { clock } = this.#options;
    if (clock.elapsed() - this.#delegatedAt < validMs) return Promise.resolve(true);
    if (this.#positive && clock.elapsed() < this.#positive.validUntil) return this.#positive.result;
    const control: Control<boolean> = {
      validUntil: Infinity,
      result: this.#runPositive().then((result) => {
        control.validUntil = clock.elapsed() + incompleteRetryMs;
        return result;
      }),
    };
    this.#positive = control;
    return control.result;
  }

  /** Records that a name is delegated. */
  recordDelegated(): void {
    this.#delegatedAt = this.#options.clock.elapsed();
  }

  async #runNegative(): Promise<NegativeControl> {
    const name = `${randomLabel()}.${this.#options.zone}`;
    if (!isEncodable(name)) return 'incomplete';
    const reply = await this.#options.query(name);
    if (reply.kind === 'none') return reply.failures.has('intercepted') ? 'failed' : 'incomplete';
    return reply.kind === 'nxdomain' || reply.kind === 'nodata' ? reply.kind : 'failed';
  }

  async #runPositive(): Promise<boolean> {
    const { zone, query, samples } = this.#options;
    const names = samples().filter((name) => name.endsWith(`.${zone}`));
    for (const name of names.slice(0, maxSamples)) {
      if ((await query(name)).kind === 'delegated') {
        this.recordDelegated();
        return true;
      }
    }
    return false;
  }
}

interface Control<Result> {
  readonly result: Promise<Result>;
  /** By `clock.elapsed()`; infinite while the control is running. */
  validUntil: number;
}

function validityOf(result: NegativeControl): number {
  if (result === 'incomplete') return incompleteRetryMs;
  return result === 'failed' ? failedRetryMs : validMs;
}

function randomLabel(): string {
  return Array.from({ length: randomLabelLength }, () =>
    String.fromCharCode('a'.charCodeAt(0) + randomInt(26)),
  ).join('');
}
