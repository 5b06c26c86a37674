import type { Clock } from '../clock.ts';
import { Problem } from '../problems.ts';
import type { Account } from './account.ts';
import { hashOf, type ApiKey } from './api-key.ts';
import type { AccountStore } from './store.ts';

/** Whose key it is. Rejects with `invalid_api_key` when it is nobody's (any more), with `LedgerUnavailable` when that cannot be told. */
export type KeyCheck = (key: ApiKey) => Promise<Account>;

interface Remembered {
  readonly account: Promise<Account | undefined>;
  readonly askedAt: number;
}

/**
 * Checks keys against the store, and caches each result for a second. So a revoked key stops working within two seconds on every node, and no
 * node needs to be notified.
 */
export function keyCheck(store: Pick<AccountStore, 'findByHash'>, clock: Clock, mostRemembered = 10_000): KeyCheck {
  // By the key itself, for that second: to hash it each time took as long as all else that is done with it.
  const remembered = new Map<ApiKey, Remembered>();

  function find(key: ApiKey): Promise<Account | undefined> {
    const known = remembered.get(key);
    // Counted from the asking: the store may have looked at once and answered late.
    if (known && clock.elapsed() - known.askedAt < rememberedMs) return known.account;
    if (remembered.size >= mostRemembered) remembered.clear();
    const asked = { account: store.findByHash(hashOf(key)), askedAt: clock.elapsed() };
    remembered.set(copyOf(key), asked);
    const forget = () => {
      if (remembered.get(key) === asked) remembered.delete(key);
    };
    clock.after(rememberedMs, forget);
    asked.account.catch(forget);
    return asked.account;
  }

  return async (key) => {
    const account = await find(key);
    if (!account) throw new Problem('invalid_api_key', 'Nobody holds this key, or it was revoked; ask whoever runs this gateway for one.');
    return account;
  };
}

const rememberedMs = 1000;

/** What was cut out of a header holds all of the header. */
function copyOf(key: ApiKey): ApiKey {
  return Buffer.from(key, 'latin1').toString('latin1') as ApiKey;
}
