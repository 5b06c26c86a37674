import type { Cost } from '../../accounts/account.ts';
import type { Charges, OperationOutcome } from './charges.ts';
import { Problem, type CreditShortage } from '../../domain/problems.ts';
import type { Log } from '../../log.ts';
import type { Lookup } from '../../lookup/lookup.ts';

interface SettlementOptions {
  readonly charges: Charges | undefined;
  readonly lookup: Pick<Lookup, 'progress' | 'end' | 'continuePending'>;
  /** What the operation holds until it is settled. */
  readonly held: DisposableStack;
  readonly log: Log;
}

/**
 * Settles one operation: when it ends, or as soon as its client disconnects. Drops what is not sent
 * by then, charges what is, and frees what the operation held. Only the first call has an effect.
 */
export class Settlement {
  readonly #options: SettlementOptions;
  readonly #onAbort = () => void this.abort();
  #isCharged = false;
  #signal: AbortSignal | undefined;

  constructor(options: SettlementOptions) {
    this.#options = options;
  }

  /** Settles the operation as soon as the signal of its client is aborted. */
  watch(signal: AbortSignal): void {
    if (this.#signal) return;
    this.#signal = signal;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort);
  }

  /** Returns the cost if the operation ended now. Throws `unavailable`. */
  async currentCost(): Promise<Cost | undefined> {
    return this.#options.charges?.currentCost();
  }

  /** What a batch of objects required and the account lacked; undefined if none was refused. */
  get shortage(): CreditShortage | undefined {
    return this.#options.charges?.shortage;
  }

  /** Whether the operation was settled and cost credits. */
  get isCharged(): boolean {
    return this.#isCharged;
  }

  /**
   * Settles the operation as `Charges.settle` does, and ends its lookups.
   */
  async settle(outcome: OperationOutcome, clientHasIt = false): Promise<Cost | undefined> {
    const { charges, lookup, held } = this.#options;
    // Nothing is sent after this, so that the charges see all that was.
    if (outcome === 'completed' && lookup.progress.pending.size > 0) lookup.continuePending();
    lookup.end();

    try {
      const cost = await charges?.settle(outcome, clientHasIt);
      this.#isCharged = cost !== undefined && cost.charged > 0;
      return cost;
    } finally {
      this.#signal?.removeEventListener('abort', this.#onAbort);
      held.dispose();
    }
  }

  /** Settles an operation whose client has disconnected, or whose stream has failed. Never rejects. */
  async abort(): Promise<void> {
    try {
      await this.settle('aborted');
    } catch (error) {
      // The client already got this problem as the response.
      if (error instanceof Problem && error.code === 'insufficient_credits') return;
      this.#options.log.error(
        { err: error },
        'Failed to settle credits. The reservation is refunded when it expires.',
      );
    }
  }
}
