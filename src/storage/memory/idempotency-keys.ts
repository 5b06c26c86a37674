import { keyStandsMs, type IdempotencyKeys, type KeyUse } from '../../accounts/idempotency.ts';
import type { Clock } from '../../clock.ts';

interface Kept {
  readonly fingerprint: string;
  readonly claimedAt: number;
  charged: number;
}

/** Remembers keys for as long as the process lives. When full, it forgets the oldest. */
export function memoryIdempotencyKeys(clock: Clock, limit = 100_000): IdempotencyKeys {
  // A Map remembers the order of insertion: the oldest is the first.
  const keys = new Map<string, Kept>();

  function forgetOld(): void {
    for (const [id, { claimedAt }] of keys) {
      if (keys.size < limit && !isOver(claimedAt, clock.now())) return;
      keys.delete(id);
    }
  }

  return {
    async claim(use) {
      forgetOld();
      const id = idOf(use);
      const kept = keys.get(id) ?? { fingerprint: use.fingerprint, claimedAt: clock.now(), charged: 0 };
      keys.set(id, kept);
      return { conflict: kept.fingerprint !== use.fingerprint, charged: kept.charged };
    },
    async owe(use, amount) {
      const kept = keys.get(idOf(use));
      if (kept?.fingerprint !== use.fingerprint) return amount;
      const owed = Math.max(0, amount - kept.charged);
      kept.charged += owed;
      return owed;
    },
  };
}

function isOver(claimedAt: number, now: number): boolean {
  return now - claimedAt >= keyStandsMs;
}

function idOf({ caller, key }: KeyUse): string {
  return JSON.stringify([caller, key]);
}
