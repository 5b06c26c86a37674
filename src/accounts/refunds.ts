import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Ledger, Reservation } from './store.ts';

export interface RefundingLedger extends Ledger {
  /** Tries no more by itself; what is still owed is given back by whoever finds it dangling. */
  stop(): void;
}

/**
 * A ledger in which nothing stays set aside for an operation whose end could not be written: its caller was told that nothing was charged,
 * so it is given back whole, as soon as the ledger can be written, and before anything else is counted.
 */
export function refundingLedger(ledger: Ledger, clock: Clock, log: Log): RefundingLedger {
  const owed = new Set<Reservation>();
  let giving: Promise<void> | undefined;
  let stopped = false;
  let cancelRetry: (() => void) | undefined;

  // Whoever comes meanwhile joins: a second settling of the same reservation would be done before the first is.
  async function giveBack(): Promise<void> {
    if (owed.size > 0) await (giving ??= giveAllBack().finally(() => (giving = undefined)));
  }

  async function giveAllBack(): Promise<void> {
    for (const reservation of owed) {
      await ledger.settle(reservation, 0);
      owed.delete(reservation);
    }
  }

  function giveBackLater(): void {
    if (stopped) return;
    cancelRetry ??= clock.after(retryMs, () => {
      cancelRetry = undefined;
      giveBack().catch((error: unknown) => {
        log.debug({ err: error, reservations: owed.size }, 'credits could not be given back yet');
        giveBackLater();
      });
    });
  }

  return {
    async reserve(accountId, amount) {
      await giveBack();
      return ledger.reserve(accountId, amount);
    },
    async settle(reservation, charged) {
      try {
        return await ledger.settle(reservation, charged);
      } catch (error) {
        owed.add(reservation);
        giveBackLater();
        throw error;
      }
    },
    async chargeAtOnce(accountId, amount) {
      await giveBack();
      return ledger.chargeAtOnce(accountId, amount);
    },
    async balance(accountId) {
      // A ledger that cannot be written may still be read.
      await giveBack().catch(() => undefined);
      return ledger.balance(accountId);
    },
    refundDangling: () => ledger.refundDangling(),
    check: () => ledger.check(),
    stop() {
      stopped = true;
      cancelRetry?.();
    },
  };
}

const retryMs = 500;
