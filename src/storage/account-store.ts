import { randomBytes } from 'node:crypto';
import {
  monthOf,
  type Account,
  type Balance,
  type ListedAccount,
  type Month,
  type Plan,
  type PlanChange,
} from '../accounts/account.ts';
import type { KeyHash } from '../accounts/api-key.ts';
import {
  idempotencyKeyLifetimeMs,
  type IdempotencyClaim,
  type IdempotencyKeyUse,
  type IdempotencyStatus,
} from '../accounts/idempotency.ts';
import {
  LedgerUnavailableError,
  replacedKeyGraceMs,
  reservationExpiryMs,
  type AccountStore,
  type AccountUsage,
  type Charged,
  type Discrepancy,
  type Refused,
  type Reservation,
  type Reserved,
  type Usage,
} from '../accounts/store.ts';
import { systemClock, type Clock } from '../clock.ts';
import { singleRow, type SqlParams } from '../shared/sql-database.ts';
import { toAccount, type AccountRow, type StatementName } from './account-statements.ts';
import {
  balanceOf,
  ChargeQueue,
  newChargeId,
  validCredits,
  type ChargeRow,
  type MonthlyUsage,
} from './charge-queue.ts';
import { queryBatches } from './query-batches.ts';

export interface AccountStoreOptions {
  readonly clock: Clock;
  /** Credits per month for an account without a plan. */
  readonly freeCredits: number;
}

/** The tables of accounts and credits, in another thread or on a server. */
export interface AccountTables {
  /**
   * Several nodes share the tables: their database's clock is used, and charges have ids that the
   * nodes assign.
   */
  readonly isShared: boolean;
  /**
   * Runs the statements of this name in one transaction, durable when the promise resolves. `params`
   * is called when they are sent, which may be after another transaction.
   */
  run<Row>(name: StatementName, params: () => SqlParams): Promise<readonly Row[]>;
  /** Waits for pending calls. */
  close(): Promise<void>;
}

/**
 * Implements the account store on tables: supplies the time, tracks open reservations, prevents
 * double settlement, and sends the charges of a busy account together.
 */
export class TableAccountStore implements AccountStore {
  readonly #tables: AccountTables;
  readonly #options: AccountStoreOptions;
  readonly #openReservations = new Set<Reservation>();
  readonly #charges = new ChargeQueue();
  readonly #findByHash: (hash: KeyHash) => Promise<Account | null>;
  #isClosed = false;

  constructor(tables: AccountTables, options: AccountStoreOptions) {
    this.#tables = tables;
    this.#options = options;
    this.#findByHash = queryBatches(async (hashes: readonly KeyHash[]) => {
      const params = [JSON.stringify(hashes), this.#now()];
      const rows = await this.#run<AccountRow & { hash: KeyHash }>('findByHashes', params);
      const found = new Map(rows.map(({ hash, ...row }) => [hash, toAccount(row)]));
      return hashes.map((hash) => found.get(hash) ?? null);
    }, lookupLimits);
  }

  async create(plan: Plan, hash: KeyHash): Promise<Account> {
    const { name, credits, origins, documents = null, role = null, rate = null } = plan;
    const id = randomBytes(6).toString('hex');
    const lists = [JSON.stringify(origins), documents && JSON.stringify(documents)];
    const times = [this.#now(), plan.expiresAt ?? null];
    const params = [id, name, credits, ...lists, role, rate, ...times, hash];
    return toAccount(await this.#row<AccountRow>('create', params));
  }

  async list(): Promise<readonly ListedAccount[]> {
    return (await this.#run<AccountRow<ListedAccount>>('list')).map((row) => toAccount(row));
  }

  usage() {
    return this.#run<Usage>('usage');
  }

  async topUsage(maxCount: number, find = '') {
    const pattern = `%${find.replaceAll(/[!%_]/g, '!$&')}%`;
    const params = [maxCount, this.#options.freeCredits, this.#now(), find, pattern];
    const rows = await this.#run<AccountRow<AccountUsage>>('topUsage', params);
    return rows.map((row) => toAccount(row));
  }

  change(id: string, { credits, origins, documents, role, rate, expiresAt }: PlanChange) {
    const lists = [origins && JSON.stringify(origins), documents && JSON.stringify(documents)];
    const values = [credits, ...lists, role, rate, expiresAt];
    const params = values.flatMap((value) => [value === undefined ? 0 : 1, value ?? null]);
    return this.#account('change', [id, ...params]);
  }

  rotate(id: string, hash: KeyHash) {
    return this.#account('rotate', [id, hash, this.#now(), replacedKeyGraceMs]);
  }

  revoke(id: string) {
    return this.#account('revoke', [id, this.#now()]);
  }

  async findByHash(hash: KeyHash): Promise<Account | undefined> {
    return (await this.#findByHash(hash)) ?? undefined;
  }

  async findNamed(idOrName: string): Promise<Account | undefined> {
    const params = [idOrName, this.#now()];
    const [found, other] = await this.#run<AccountRow>('findNamed', params);
    const isNamed = found && (found.id === idOrName || !other);
    return isNamed ? toAccount(found) : undefined;
  }

  async idempotencyStatus(use: IdempotencyKeyUse): Promise<IdempotencyStatus> {
    const [stored] = await this.#run<IdempotencyStatus>('findKey', this.#keyParams(use));
    return stored
      ? { ...stored, conflict: Boolean(stored.conflict) }
      : { conflict: false, charged: 0, since: undefined };
  }

  async bindIdempotencyKey(use: IdempotencyKeyUse): Promise<IdempotencyClaim> {
    const claim = await this.#row<IdempotencyClaim>('claimKey', this.#keyParams(use));
    return { ...claim, conflict: Boolean(claim.conflict) };
  }

  async addIdempotentCharge({ caller, key, fingerprint }: IdempotencyKeyUse, amount: number) {
    const params = [caller, key, fingerprint, amount];
    return (await this.#row<{ due: number }>('chargeKey', params)).due;
  }

  async reserve(accountId: string, amount: number): Promise<Reserved | Refused> {
    // An amount of 0 is never refused, even if a plan was reduced below the credits already used.
    const { entry, month, ...usage } =
      validCredits(amount) === 0
        ? { entry: 0, ...(await this.#tally(accountId)) }
        : await this.#row<ChargeRow>(
            'reserve',
            this.#chargeParams(accountId, amount, reservationExpiryMs),
          );
    const balance = balanceOf({ month, ...usage });
    if (entry === null) return { granted: false, balance };
    const reservation: Reservation = { id: entry, accountId, month, amount };
    if (amount > 0) this.#openReservations.add(reservation);
    return { granted: true, reservation, balance };
  }

  async charge(accountId: string, amount: number): Promise<Charged | Refused> {
    if (validCredits(amount) === 0)
      return { granted: true, balance: await this.balance(accountId) };
    this.#assertOpen();
    const now = this.#options.clock.now();
    const key = `${accountId} ${monthOf(now)}`;
    const { entry, ...usage } = await this.#charges.charge(key, amount, async (total) =>
      singleRow(
        await this.#send('charge', () => this.#chargeParams(accountId, total(), null, now)),
      ),
    );
    return { granted: entry !== null, balance: balanceOf(usage) };
  }

  async settle(reservation: Reservation, charged: number): Promise<Balance> {
    const { id, accountId, amount } = reservation;
    if (validCredits(charged) > amount)
      throw new RangeError(`Cannot charge ${charged} of ${amount} reserved credits.`);
    if (!this.#openReservations.delete(reservation)) return this.balance(accountId);
    const params = [id, accountId, charged, this.#options.freeCredits, this.#now()];
    return balanceOf(await this.#row<MonthlyUsage>('settle', params));
  }

  async refund(accountId: string, month: Month, amount: number): Promise<void> {
    const params = [
      this.#tables.isShared ? newChargeId() : null,
      accountId,
      month,
      validCredits(amount),
      this.#now(),
    ];
    await this.#run('refund', params);
  }

  async balance(accountId: string): Promise<Balance> {
    return balanceOf(await this.#tally(accountId));
  }

  async extendReservations(): Promise<void> {
    const ids = Array.from(this.#openReservations, ({ id }) => id);
    if (ids.length === 0) return;
    const params = [JSON.stringify(ids), this.#now(), reservationExpiryMs];
    await this.#run('extendReservations', params);
  }

  async refundExpired(): Promise<number> {
    let total = 0;
    for (;;) {
      const params = [maxRefundsPerBatch, this.#now()];
      const { refunded } = await this.#row<{ refunded: number }>('refundExpired', params);
      total += refunded;
      if (refunded < maxRefundsPerBatch) return total;
    }
  }

  check() {
    return this.#run<Discrepancy>('check');
  }

  async probe(): Promise<void> {
    await this.#run('probe', [this.#now()]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#charges.close();
    await this.#tables.close();
  }

  async #tally(accountId: string): Promise<MonthlyUsage> {
    return this.#row('tally', [accountId, this.#options.freeCredits, this.#now()]);
  }

  #chargeParams(
    accountId: string,
    amount: number,
    expiryMs: number | null,
    now = this.#options.clock.now(),
  ): SqlParams {
    const id = this.#tables.isShared ? newChargeId() : null;
    return [id, accountId, amount, expiryMs, this.#options.freeCredits, this.#now(now)];
  }

  #keyParams({ caller, key, fingerprint }: IdempotencyKeyUse): SqlParams {
    return [caller, key, fingerprint, idempotencyKeyLifetimeMs, this.#now()];
  }

  async #account(name: StatementName, params: SqlParams): Promise<Account | undefined> {
    const [row] = await this.#run<AccountRow>(name, params);
    return row && toAccount(row);
  }

  async #row<Row>(name: StatementName, params: SqlParams): Promise<Row> {
    return singleRow(await this.#run<Row>(name, params));
  }

  async #run<Row>(name: StatementName, params: SqlParams = []): Promise<readonly Row[]> {
    this.#assertOpen();
    return this.#send(name, () => params);
  }

  async #send<Row>(name: StatementName, params: () => SqlParams): Promise<readonly Row[]> {
    try {
      return await this.#tables.run(name, params);
    } catch (error) {
      throw new LedgerUnavailableError(error);
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new LedgerUnavailableError(new Error('The store is closed.'));
  }

  /** Returns the time to send: null if the database's clock is used, unless a test supplies one. */
  #now(now = this.#options.clock.now()): number | null {
    return this.#tables.isShared && this.#options.clock === systemClock ? null : now;
  }
}

/** Small enough to keep each statement short. */
const maxRefundsPerBatch = 100;

/**
 * Limits the batches of key lookups, so that a flood of unknown keys does not occupy the
 * connections that others need.
 */
const lookupLimits = { batchSize: 500, concurrentBatches: 2 };
