import { randomBytes } from 'node:crypto';
import type { Balance } from '../accounts/account.ts';
import { endOf, monthOf } from '../accounts/month.ts';
import { LedgerUnavailable, type AccountStore, type Ledger, type Reservation } from '../accounts/store.ts';
import type { Clock } from '../clock.ts';
import type { Moment, Tables, Tally } from './tables.ts';

export interface AccountStoreOptions {
  readonly clock: Clock;
  /** Credits a month for an account without a plan of its own. */
  readonly freeCredits: number;
}

/** Tables somewhere: in another thread, or behind a socket. */
export interface RemoteTables {
  call<M extends keyof Tables>(method: M, ...args: Parameters<Tables[M]>): Promise<ReturnType<Tables[M]>>;
  /** Waits for what was called. */
  close(): Promise<void>;
}

/** Accounts over tables: knows what time it is, and that nothing is settled twice. */
export function accountStore(tables: RemoteTables, { clock, freeCredits }: AccountStoreOptions): AccountStore {
  let closed = false;

  const call: RemoteTables['call'] = async (method, ...args) => {
    try {
      if (closed) throw new Error('the store is closed');
      return await tables.call(method, ...args);
    } catch (error) {
      throw new LedgerUnavailable(error);
    }
  };

  function moment(): Moment {
    const now = clock.now();
    return { now, month: monthOf(now), freeCredits };
  }

  return {
    create: (plan, hash) => call('create', { ...plan, id: randomBytes(6).toString('hex') }, hash, clock.now()),
    list: () => call('list'),
    usage: () => call('usage'),
    change: (id, change) => call('change', id, change),
    rotate: (id, hash) => call('rotate', id, hash, clock.now()),
    revoke: (id) => call('revoke', id, clock.now()),
    findByHash: (hash) => call('findByHash', hash, clock.now()),
    ...spendingOver(call, moment),
    look: (use) => call('lookAtKey', use, clock.now()),
    claim: (use) => call('claimKey', use, clock.now()),
    owe: (use, amount) => call('oweUnderKey', use, amount),
    refundDangling: () => call('refundDangling', moment()),
    check: () => call('check'),
    probe: () => call('probe', moment()),
    async close() {
      closed = true;
      await tables.close();
    },
  };
}

function spendingOver(call: RemoteTables['call'], moment: () => Moment): Omit<Ledger, 'refundDangling' | 'check'> {
  const open = new Set<Reservation>();

  async function charge(accountId: string, amount: number, forGood: boolean) {
    const at = moment();
    // What costs nothing is never refused, also to an account that has used more than its plan, cut since, allows.
    const { entry, ...tally } =
      amount === 0
        ? { entry: 0, ...(await call('tally', accountId, at)) }
        : await call('charge', accountId, wholeCredits(amount), forGood, at);
    return { entry, month: tally.month, balance: balanceOf(tally) };
  }

  async function balance(accountId: string): Promise<Balance> {
    return balanceOf(await call('tally', accountId, moment()));
  }

  return {
    balance,
    async reserve(accountId, amount) {
      const { entry, month, balance: left } = await charge(accountId, amount, false);
      if (entry === undefined) return { granted: false, balance: left };
      const reservation: Reservation = { id: entry, accountId, month, amount };
      if (amount > 0) open.add(reservation);
      return { granted: true, reservation, balance: left };
    },
    async chargeAtOnce(accountId, amount) {
      const { entry, balance: left } = await charge(accountId, amount, true);
      return { granted: entry !== undefined, balance: left };
    },
    async settle(reservation, charged) {
      if (wholeCredits(charged) > reservation.amount) throw new RangeError(`${charged} of ${reservation.amount} reserved credits`);
      if (!open.delete(reservation)) return balance(reservation.accountId);
      try {
        return balanceOf(await call('settle', reservation, charged, moment()));
      } catch (error) {
        open.add(reservation); // it does not count, so it may be tried again
        throw error;
      }
    },
  };
}

function balanceOf({ limit, used, month }: Tally): Balance {
  return { limit, used, remaining: Math.max(limit - used, 0), resetsAt: endOf(month) };
}

function wholeCredits(amount: number): number {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`${amount} is no number of credits`);
  return amount;
}
