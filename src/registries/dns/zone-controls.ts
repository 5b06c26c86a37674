import { randomInt } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import { isEncodable } from './message.ts';
import type { Transport } from './transport.ts';
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
  /** Returns the transport of the next query. */
  readonly transport: () => Transport;
  readonly query: (name: string, transport: Transport) => Promise<ZoneReply>;
  /** Returns names that are probably delegated. */
  readonly samples: () => readonly DomainName[];
}

interface Control<Result> {
  readonly result: Promise<Result>;
  readonly transport: Transport;
  isComplete: boolean;
  /** By `clock.elapsed()`; infinite while the control is running. */
  validUntil: number;
}

const validMs = 3_600_000;
const failedValidMs = 5 * 60_000;
const retryMs = 30_000;
const randomLabelLength = 24;
const maxSamples = 3;

/**
 * Checks once per hour whether the servers of a zone distinguish names that exist from names that do
 * not.
 */
export class ZoneControls {
  readonly #options: ZoneControlsOptions;
  #negative: Control<NegativeControl> | undefined;
  /** The result of the last negative control that was completed. */
  #completed: NegativeControl | undefined;
  #positive: Control<boolean> | undefined;
  /** When a name was last found to be delegated, by `clock.elapsed()`. */
  #delegatedAt = -Infinity;

  constructor(options: ZoneControlsOptions) {
    this.#options = options;
  }

  /** Looks up a random name, or returns the last result if it is recent. Never rejects. */
  negative(): Promise<NegativeControl> {
    const last = this.#negative;
    if (last && this.#isCurrent(last)) return last.result;
    this.#negative = this.#start(async (transport) => {
      const result = await this.#queryRandomName(transport);
      if (result === 'incomplete')
        // The result of the previous control applies until another one is completed.
        return { result: this.#completed ?? result, validMs: retryMs };
      this.#completed = result;
      const isFailed = result === 'failed';
      return { result, validMs: isFailed ? failedValidMs : validMs, isComplete: true };
    });
    return this.#negative.result;
  }

  /**
   * Resolves to whether a name of the zone was found to be delegated within the last hour; looks up
   * sample names if necessary. Never rejects.
   */
  positive(): Promise<boolean> {
    if (this.#options.clock.elapsed() - this.#delegatedAt < validMs) return Promise.resolve(true);
    if (this.#positive && this.#isCurrent(this.#positive)) return this.#positive.result;
    this.#positive = this.#start(async (transport) => {
      const result = await this.#querySamples(transport);
      return { result, validMs: retryMs };
    });
    return this.#positive.result;
  }

  /** Records that a name is delegated. */
  recordDelegated(): void {
    this.#delegatedAt = this.#options.clock.elapsed();
  }

  /** A control without a result may be repeated at once if another transport is used now. */
  #isCurrent({ validUntil, isComplete, transport }: Control<unknown>): boolean {
    return (
      this.#options.clock.elapsed() < validUntil &&
      (isComplete || transport === this.#options.transport())
    );
  }

  #start<Result>(
    run: (
      transport: Transport,
    ) => Promise<{ result: Result; validMs: number; isComplete?: boolean }>,
  ): Control<Result> {
    const transport = this.#options.transport();
    const control: Control<Result> = {
      transport,
      isComplete: false,
      validUntil: Infinity,
      result: run(transport).then((finished) => {
        control.validUntil = this.#options.clock.elapsed() + finished.validMs;
        control.isComplete = finished.isComplete === true;
        return finished.result;
      }),
    };
    return control;
  }

  async #queryRandomName(transport: Transport): Promise<NegativeControl> {
    const name = `${randomLabel()}.${this.#options.zone}`;
    if (!isEncodable(name)) return 'incomplete';
    const reply = await this.#options.query(name, transport);
    if (reply.kind === 'none') return reply.failures.has('intercepted') ? 'failed' : 'incomplete';
    return reply.kind === 'nxdomain' || reply.kind === 'nodata' ? reply.kind : 'failed';
  }

  async #querySamples(transport: Transport): Promise<boolean> {
    const { zone, query, samples } = this.#options;
    const names = samples().filter((name) => name.endsWith(`.${zone}`));
    for (const name of names.slice(0, maxSamples)) {
      const { kind } = await query(name, transport);
      // A server that delegates every name does not show that it knows this one.
      if (kind === 'delegated' && (await this.negative()) !== 'failed') {
        this.recordDelegated();
        return true;
      }
    }
    return false;
  }
}

/** Returns a label that is certainly not registered. */
export function randomLabel(): string {
  return Array.from({ length: randomLabelLength }, () =>
    String.fromCharCode('a'.charCodeAt(0) + randomInt(26)),
  ).join('');
}
