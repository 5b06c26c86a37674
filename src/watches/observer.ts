import { monthOf, stateOf } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/store.ts';
import type { Answer } from '../domain/answer.ts';
import type { Directory } from '../domain/directory.ts';
import { splitName, tldOf, type DomainName } from '../domain/names/domain-name.ts';
import type { Source } from '../domain/source.ts';
import { observationOf, recordQuery } from './answer-observation.ts';
import type { ChangeLog } from './change-log.ts';
import { DueNames, type ClaimedName, type PollingParts } from './polling/due-names.ts';
import type { HostSlots } from './host-slots.ts';
import { needsRecord, observe } from './name-state.ts';
import type { NameState, Observation } from './observation.ts';
import { dayMs, hourMs, minuteMs, paceOf, sandboxPace, scheduleOf, type Pace } from './schedule.ts';
import type { WatchList } from './watch-list.ts';

export interface ObserverOptions extends PollingParts {
  readonly changes: ChangeLog;
  readonly names: WatchList;
  readonly accounts: Pick<AccountStore, 'list'>;
  readonly directory: Directory;
  /** Queries the parent zone, which may delegate a name. */
  readonly zone: Pick<Source, 'lookup'>;
  /** Whether the parent zone may be queried instead of the registry (`DNS_FIRST`). */
  readonly dnsFirst: boolean;
  readonly slots: HostSlots;
  /** How long changes are kept. */
  readonly changeDays: number;
}

/** A name that is looked at, and what is held of it. */
type Look = ClaimedName<{ readonly state: NameState }>;

const maxInFlight = 64;
/** Longer than the intervals of all looks. */
const maxPlannedMs = 30 * dayMs;
/** When a name is due again that nobody pays for. */
const pausedMs = hourMs;

/** Looks at the names that are due, and appends what has changed to the log. */
export class Observer extends DueNames<{ readonly state: string }> {
  readonly #options: ObserverOptions;
  #maintainedAt = -Infinity;

  constructor(options: ObserverOptions) {
    super({ ...options, table: 'watched_names', columns: 'state', maxInFlight });
    this.#options = options;
  }

  protected async process(row: ClaimedName<{ readonly state: string }>): Promise<void> {
    const { directory, names, dnsFirst, clock } = this.#options;
    const claim: Look = { ...row, state: JSON.parse(row.state) as NameState };
    const { name, state } = claim;
    if (!(await names.payments.renew(name))) return this.postpone(claim, clock.now() + pausedMs);

    const resolved = directory.resolve(splitName(name));
    if ('problem' in resolved)
      return this.#save(claim, { facts: undefined, evidence: null }, paceOf(false));

    const hasZone = dnsFirst && resolved.registry.sources.some(({ kind }) => kind === 'dns');
    const pace = tldOf(name) === 'test' ? sandboxPace : paceOf(hasZone);
    const zone =
      pace.hasZone && clock.now() < state.recordAt ? await this.#queryZone(name) : undefined;
    if (zone && !needsRecord(state, zone.isDelegated)) return this.#save(claim, zone, pace);

    const host = pace === sandboxPace ? undefined : resolved.registry.sources[0]?.endpoint;
    const slot = host ? this.#options.slots.take(host) : 0;
    if (slot > clock.now()) return this.postpone(claim, slot);

    const answer = await resolved.registry.lookup(recordQuery(name), this.request());
    if (host && answer.provenance.failure === 'busy') this.#options.slots.slowDown(host);
    const isDelegated = isDelegatedIn(answer) ?? zone?.isDelegated;
    const look = { ...observationOf(name, resolved, answer, clock.now()), isDelegated };
    const retryAt = clock.now() + (answer.problem?.retryAfter ?? 0) * 1000;

    await this.#save(claim, look, pace, retryAt);
  }

  async #queryZone(name: DomainName): Promise<Observation> {
    const query = { name: splitName(name), detail: 'verdict' } as const;
    // One server may be behind: two must say that there is no delegation.
    const request = { ...this.request(), confirmAbsence: true };
    const answer = await this.#options.zone.lookup(query, request);
    const { evidence = null } = answer.provenance;
    const isDelegated = isDelegatedIn(answer);

    return { facts: isDelegated ? { verdict: 'REGISTERED' } : undefined, isDelegated, evidence };
  }

  /** Stores what is held after a look with its changes, unless the claim has ended. */
  async #save(claim: Look, look: Observation, pace: Pace, retryAt = 0): Promise<void> {
    const { database, clock, changes } = this.#options;
    // What was aborted says nothing about the name, which is due again when the claim ends.
    if (this.isStopping && !look.facts) return;

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

  /**
   * Once a minute: makes names due that were planned while the clock was ahead, ends what revoked and
   * expired keys have, closes months, and deletes old changes.
   */
  protected async prepare(): Promise<void> {
    const { database, clock, accounts, names, changes, changeDays } = this.#options;
    if (clock.elapsed() - this.#maintainedAt < minuteMs) return;

    this.#maintainedAt = clock.elapsed();
    const now = clock.now();
    await database.query('UPDATE watched_names SET next_look = $1 WHERE next_look > $2', [
      now,
      now + maxPlannedMs,
    ]);

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
