import { monthOf, stateOf } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/store.ts';
import type { Clock } from '../clock.ts';
import type { Answer } from '../domain/answer.ts';
import type { Directory } from '../domain/directory.ts';
import { splitName, tldOf, type DomainName } from '../domain/domain-name.ts';
import { watchAccount, type AttemptRequest, type Source } from '../domain/source.ts';
import type { Log } from '../log.ts';
import type { SqlDatabase } from '../shared/sql-database.ts';
import { observationOf, recordQuery } from './answer-observation.ts';
import type { ChangeLog } from './change-log.ts';
import { HostSlots } from './host-slots.ts';
import { needsRecord, observe } from './name-state.ts';
import type { NameState, Observation } from './observation.ts';
import { hourMs, minuteMs, paceOf, sandboxPace, scheduleOf, type Pace } from './schedule.ts';
import type { WatchList } from './watch-list.ts';

export interface ObserverOptions {
  readonly database: SqlDatabase;
  readonly changes: ChangeLog;
  readonly names: WatchList;
  readonly accounts: Pick<AccountStore, 'list'>;
  readonly directory: Directory;
  /** Asks the parent zone whether a name is delegated. */
  readonly zone: Pick<Source, 'lookup'>;
  /** Whether the parent zone may be asked instead of the registry (`DNS_FIRST`). */
  readonly dnsFirst: boolean;
  /** Returns the least time between two looks at the host of a registry, in milliseconds. */
  readonly intervalOf: (endpoint: string) => number;
  /** How long changes are kept. */
  readonly changeDays: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** A name that only this process looks at until the claim ends, in epoch ms. */
interface Claim {
  readonly name: DomainName;
  readonly claimedUntil: number;
  readonly state: NameState;
}

/** How often due names are read. */
const roundMs = 10_000;
const maxInFlight = 64;
/** Longer than any lookup: if a process dies, its names are due again after this time. */
const claimMs = 2 * minuteMs;
const queueMs = 30_000;
/** When a name is due again that nobody pays for. */
const pausedMs = hourMs;

/** Looks at the names that are due, and appends what has changed to the log. */
export class Observer {
  readonly #options: ObserverOptions;
  readonly #slots: HostSlots;
  readonly #stopping = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  #round: Promise<void> | undefined;
  #isDue = false;
  #maintainedAt = -Infinity;
  #cancelTimer: (() => void) | undefined;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#slots = new HostSlots(options.intervalOf, options.clock);
  }

  /** Looks at the names that are due now, and then every ten seconds. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#isDue = true;
    this.#round ??= this.#lookWhileDue().finally(() => {
      this.#round = undefined;
      if (this.#isDue) return this.wake();
      this.#cancelTimer?.();
      if (!this.#stopping.signal.aborted)
        this.#cancelTimer = this.#options.clock.after(roundMs, () => this.wake());
    });
  }

  /** Aborts the looks that are not made yet, and waits for the others. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelTimer?.();
    await this.idle();
  }

  /** Resolves when all looks that were due are made. */
  async idle(): Promise<void> {
    while (this.#round) await this.#round;
    await Promise.all(this.#inFlight);
  }

  async #lookWhileDue(): Promise<void> {
    try {
      while (this.#isDue && !this.#stopping.signal.aborted) {
        this.#isDue = false;
        await this.#maintain();
        const free = maxInFlight - this.#inFlight.size;
        const claims = free > 0 ? await this.#claim(free) : [];
        for (const claim of claims) this.#start(claim);
        if (claims.length < free) return;
        this.#isDue = true;
        await Promise.race(this.#inFlight);
      }
    } catch (error) {
      this.#isDue = false;
      this.#options.log.warn({ err: error }, 'Watched names could not be read. Retrying in 10 s.');
    }
  }

  #start(claim: Claim): void {
    const look = this.#look(claim)
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.#options.log.warn(
            { err: error },
            'A look at a watched name failed. It is due again.',
          );
      })
      .finally(() => this.#inFlight.delete(look));
    this.#inFlight.add(look);
  }

  async #claim(limit: number): Promise<readonly Claim[]> {
    const { database, clock } = this.#options;
    const now = clock.now();
    const rows = await database.query<{ name: DomainName; state: string }>(
      `WITH due AS MATERIALIZED (SELECT name FROM watched_names WHERE next_look <= $1
         ORDER BY next_look LIMIT $2 ${database.dialect.skipLocked})
       UPDATE watched_names SET next_look = $3 WHERE name IN (SELECT name FROM due) RETURNING name, state`,
      [now, limit, now + claimMs],
    );
    return rows.map(({ name, state }) => ({
      name,
      claimedUntil: now + claimMs,
      state: JSON.parse(state) as NameState,
    }));
  }

  async #look(claim: Claim): Promise<void> {
    const { directory, names, dnsFirst, clock } = this.#options;
    const { name, state } = claim;
    if (!(await names.payments.renew(name))) return this.#postpone(claim, clock.now() + pausedMs);
    const resolved = directory.resolve(splitName(name));
    if ('problem' in resolved)
      return this.#save(claim, { facts: undefined, evidence: null }, paceOf(false));
    const hasZone = dnsFirst && resolved.registry.sources.some(({ kind }) => kind === 'dns');
    const pace = tldOf(name) === 'test' ? sandboxPace : paceOf(hasZone);
    const zone =
      pace.hasZone && clock.now() < state.recordAt ? await this.#askZone(name) : undefined;
    if (zone && !needsRecord(state, zone.isDelegated)) return this.#save(claim, zone, pace);
    const host = pace === sandboxPace ? undefined : resolved.registry.sources[0]?.endpoint;
    const slot = host ? this.#slots.take(host) : 0;
    if (slot > clock.now()) return this.#postpone(claim, slot);
    const answer = await resolved.registry.lookup(recordQuery(name), this.#request());
    if (host && answer.provenance.failure === 'busy') this.#slots.slowDown(host);
    const isDelegated = isDelegatedIn(answer) ?? zone?.isDelegated;
    const look = { ...observationOf(name, resolved, answer, clock.now()), isDelegated };
    const retryAt = clock.now() + (answer.problem?.retryAfter ?? 0) * 1000;
    await this.#save(claim, look, pace, retryAt);
  }

  async #askZone(name: DomainName): Promise<Observation> {
    const query = { name: splitName(name), detail: 'verdict' } as const;
    // One server may be behind: two must say that there is no delegation.
    const request = { ...this.#request(), confirmAbsence: true };
    const answer = await this.#options.zone.lookup(query, request);
    const { evidence = null } = answer.provenance;
    const isDelegated = isDelegatedIn(answer);
    return { facts: isDelegated ? { verdict: 'REGISTERED' } : undefined, isDelegated, evidence };
  }

  #request(): AttemptRequest {
    return {
      signal: this.#stopping.signal,
      account: watchAccount,
      priority: 'watch',
      queueDeadline: this.#options.clock.now() + queueMs,
    };
  }

  /** Stores what is held after a look with its changes, unless the claim has ended. */
  async #save(claim: Claim, look: Observation, pace: Pace, retryAt = 0): Promise<void> {
    const { database, clock, changes } = this.#options;
    // What was aborted says nothing about the name, which is due again when the claim ends.
    if (this.#stopping.signal.aborted && !look.facts) return;
    const { name, claimedUntil } = claim;
    const now = clock.now();
    const { state, differences } = observe(claim.state, look, now, pace);
    const { nextLook, recordAt } = scheduleOf(name, state, now, pace);
    const params = [
      name,
      claimedUntil,
      look.facts ? nextLook : Math.max(nextLook, retryAt),
      JSON.stringify({ ...state, recordAt }),
    ];
    const update =
      'UPDATE watched_names SET next_look = $3, state = $4 WHERE name = $1 AND next_look = $2 RETURNING name';
    if (look.facts)
      await database.query(
        'UPDATE watches SET verdict_month = $2 WHERE name = $1 AND verdict_month < $2 AND ended = 0',
        [name, monthOf(now)],
      );
    if (differences.length === 0) return void (await database.query(update, params));
    await database.transaction(async (query) => {
      if ((await query(update, params)).length > 0) await changes.append(query, name, differences);
    });
    changes.announce();
  }

  async #postpone({ name, claimedUntil }: Claim, nextLook: number): Promise<void> {
    await this.#options.database.query(
      'UPDATE watched_names SET next_look = $3 WHERE name = $1 AND next_look = $2',
      [name, claimedUntil, Math.round(nextLook)],
    );
  }

  /** Once a minute: ends what revoked and expired keys have, closes months, and deletes old changes. */
  async #maintain(): Promise<void> {
    const { clock, accounts, names, changes, changeDays } = this.#options;
    if (clock.elapsed() - this.#maintainedAt < minuteMs) return;
    this.#maintainedAt = clock.elapsed();
    const watching = new Set(await names.accounts());
    if (watching.size > 0)
      for (const account of await accounts.list())
        if (stateOf(account, clock.now()) !== 'active' && watching.has(account.id))
          await names.endAccount(account.id);
    await names.payments.closeMonths();
    await changes.deleteOld(changeDays);
  }
}

/** Returns whether the parent zone delegates a name; undefined if it has not shown that. */
function isDelegatedIn({ provenance: { delegation } }: Answer): boolean | undefined {
  const isShown = delegation !== undefined && delegation !== 'unverified';
  return isShown ? delegation === 'delegated' : undefined;
}
