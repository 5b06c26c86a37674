import type DataLoader from 'dataloader';
import type { RegistrarRecords } from '../domain/directory.ts';
import { invalidRowId } from '../domain/node-id.ts';
import {
  searchKey,
  singleNameKey,
  type ParsedName,
  type Search,
  type SingleName,
} from '../domain/names/parsed-name.ts';
import type { DomainName } from '../domain/names/domain-name.ts';
import type { OutcomeAge } from '../domain/outcome.ts';
import type { Answer } from '../domain/answer.ts';
import {
  type CacheRead,
  type LookupRequest,
  type NameQuery,
  type Registry,
} from '../domain/source.ts';
import type { Registration } from '../domain/registration.ts';
import { withTimeBudget, createRow, inTurns, type DomainRow, inCompletionOrder } from './row.ts';
import type { LookupPlan, PlannedRow, Target } from './lookup-plan.ts';
import { LookupProgress, addTimings, type Timings } from './lookup-progress.ts';
import {
  unresolvedOutcome,
  outcomeOfAnswer,
  pendingOutcome,
  statusOf,
  withPolicy,
  type LookupOutcome,
} from './lookup-outcome.ts';
import { batchScheduler, createLoader, readInTurns, type NextTurn } from './batch-scheduler.ts';
import { openRequests, type LookupRequestOptions, type LookupRequests } from './lookup-requests.ts';
import { ObjectLookups, type ObjectLookupOptions } from './object-lookups.ts';
import { lookUpRegistrarRecord, type RegistrarRecord } from './registrar-lookups.ts';
import { ValueLimit } from './value-limit.ts';

export interface LookupOptions extends LookupRequestOptions {
  readonly registrars: RegistrarRecords;
  readonly objects: Omit<ObjectLookupOptions, 'clock' | 'request' | 'values' | 'nextTurn'>;
  /** Long work is done over several turns of the event loop. */
  readonly nextTurn: NextTurn;
  /** The response has several parts. */
  readonly isStreamed: boolean;
  /** Called with the outcome of each name, once per operation, and with its suffix if it has one. */
  readonly onOutcome: (status: string, outcome: LookupOutcome, suffix?: string) => void;
  /** Called with each registration that was read, and the suffix of the name. */
  readonly onRegistration: (suffix: string, registration: Registration) => void;
  /** Called with each name that is newly found to be available, and when; epoch ms. */
  readonly onAvailable?: ((name: DomainName, answeredAt: number) => void) | undefined;
}

/**
 * Looks up the rows of one operation's plan. Each registry has its own loader, so that a batch
 * never mixes registries, and a name is queried once for all fields that select it.
 */
export class Lookup {
  readonly progress = new LookupProgress();
  readonly objectValues: ValueLimit;
  readonly timings: Timings = { cache: 0, queue: 0, registry: 0 };
  readonly #plan: LookupPlan;
  readonly #options: LookupOptions;
  #hasEnded = false;
  /** Created on demand, as an operation whose answers are all stored has none. */
  #requests: LookupRequests | undefined;
  // Few operations select anything but names.
  #registrarRecords: Map<string, Promise<RegistrarRecord>> | undefined;
  #objectLookups: ObjectLookups | undefined;
  readonly #schedule = batchScheduler();
  readonly #loaders = new Map<Registry, DataLoader<NameQuery, Answer>>();
  readonly #rows = new Map<PlannedRow, DomainRow>();
  readonly #cacheReads = new Map<string, CacheRead>();
  readonly #outcomes: OutcomeAge[] = [];

  constructor(plan: LookupPlan, options: LookupOptions) {
    this.#plan = plan;
    this.#options = options;
    this.objectValues = new ValueLimit(options);
  }

  get objects(): ObjectLookups {
    const { objects, clock, nextTurn } = this.#options;
    return (this.#objectLookups ??= new ObjectLookups({
      ...objects,
      clock,
      request: () => this.laterRequest(),
      values: this.objectValues,
      nextTurn,
      onOutcome: (type, outcome) => {
        objects.onOutcome(type, outcome);
        this.#outcomes.push(outcome);
      },
    }));
  }

  /**
   * The outcomes so far: one per name, object and lookup of an extension, and one more per row that is
   * PENDING.
   */
  get outcomes(): readonly OutcomeAge[] {
    return this.#outcomes;
  }

  /** Adds the outcome of a lookup of an extension. */
  recordOutcome(outcome: OutcomeAge): void {
    this.#outcomes.push(outcome);
  }

  /**
   * Reads the cache for all names of the plan. Resolves to true if no registry has to be queried.
   * Rejects with `query_too_large` if the stored records are too long for one response.
   */
  async readCache(): Promise<boolean> {
    const { clock, nextTurn } = this.#options;
    const startedAt = clock.elapsed();
    const targets = this.#plan.rows.flatMap(({ target }) => ('problem' in target ? [] : [target]));
    for (const [readCache, group] of Map.groupBy(targets, ({ registry }) => registry.readCache)) {
      const queries = group.map(({ query }) => query);
      const reads = await readInTurns(readCache, queries, this.objectValues, nextTurn);
      this.objectValues.check();
      for (const [name, read] of reads) {
        this.#cacheReads.set(name, read);
        if (read.answer) this.progress.stored.add(name);
      }
    }
    this.timings.cache = clock.elapsed() - startedAt;
    return this.progress.stored.size === targets.length;
  }

  /** Returns the row of a single name. Throws the problem of invalid arguments. */
  single(name: SingleName): DomainRow {
    const [row] = this.#rowsOf(singleNameKey(name));
    if (!row) throw new Error(`the name ${name.name} has no row`);
    return row;
  }

  /** Returns the rows of a search, in request order. Throws the problem of invalid arguments. */
  search(search: Search): readonly DomainRow[] {
    return this.#rowsOf(searchKey(search));
  }

  /** Yields the rows of a search in the order in which their lookups complete. */
  searchInCompletionOrder(search: Search): AsyncGenerator<DomainRow, void, void> {
    return inCompletionOrder(this.search(search), (row) => row.outcome());
  }

  #rowsOf(key: string): readonly DomainRow[] {
    const { rows, names, budgetMs } = this.#plan.field(key);
    const domainRows = rows.map((row, index) => {
      const shared = this.#rowOf(row);
      return { ...shared, inputs: names[index]?.inputs ?? shared.inputs };
    });
    const { clock, nextTurn } = this.#options;
    const inTime =
      budgetMs === undefined
        ? domainRows
        : withTimeBudget(domainRows, budgetMs, clock, (row) => this.#recordPending(row));
    return inTime.length > 1 ? inTurns(inTime, nextTurn) : inTime;
  }

  /** Returns the row with a global id; null without one. */
  rowWithId(id: string): DomainRow | null {
    const planned = this.#plan.row(id);
    return planned ? this.#rowOf(planned) : null;
  }

  /** Returns the row of a name, or of an entry that is not one; null without one. */
  rowOf({ domain }: ParsedName): DomainRow | null {
    return this.rowWithId(domain) ?? this.rowWithId(invalidRowId(domain));
  }

  /**
   * Looks up the registrar's record of a registered name. A failure is a problem, not a rejection.
   */
  registrarRecord(row: DomainRow): Promise<RegistrarRecord> {
    const { registrars } = this.#options;
    const records = (this.#registrarRecords ??= new Map());
    const record =
      records.get(row.id) ??
      lookUpRegistrarRecord(row, this.#queryOf(row), registrars, () => this.laterRequest());
    records.set(row.id, record);
    return record;
  }

  /** Returns the maximum age that all fields with this row accept, in seconds. */
  maxAgeOf(row: Pick<DomainRow, 'id'>): number | undefined {
    return this.#queryOf(row)?.maxAge;
  }

  #queryOf({ id }: Pick<DomainRow, 'id'>): NameQuery | undefined {
    const target = this.#plan.row(id)?.target;
    return target && 'query' in target ? target.query : undefined;
  }

  /** Returns a request for a host other than that of the registry, which has another queue. */
  laterRequest(): LookupRequest {
    return this.#openRequests().later();
  }

  /** Drops the lookups that are not sent, and later ones. */
  end(): void {
    this.#hasEnded = true;
    this.#requests?.end();
  }

  /** Lets the lookups of PENDING rows continue after the end, unless the client disconnects. */
  continuePending(): void {
    if (this.#hasEnded) return;
    for (const name of this.progress.pending) this.#continue(name);
  }

  /** Joins the lookup of a name if it is in progress, so that it does not end with the operation. */
  #continue(name: string): void {
    const target = this.#plan.row(name)?.target;
    if (!target || 'problem' in target) return;
    if (!(this.rowWithId(name)?.outcome() instanceof Promise)) return;
    const query = { ...target.query, ...this.#cacheReads.get(name) };
    void target.registry.lookup(query, this.#openRequests().continued());
  }

  #openRequests(): LookupRequests {
    this.#requests ??= openRequests(
      this.#options,
      this.#plan.priority,
      this.progress,
      this.objectValues,
    );
    if (this.#hasEnded) this.#requests.end();
    return this.#requests;
  }

  #rowOf(planned: PlannedRow): DomainRow {
    const existing = this.#rows.get(planned);
    if (existing) return existing;
    const { target } = planned;
    const row = createRow(planned, () =>
      'problem' in target ? this.#report(unresolvedOutcome(target.problem)) : this.lookUp(target),
    );
    this.#rows.set(planned, row);
    return row;
  }

  /** Looks a name up, unless `read` is a stored answer. */
  lookUp(
    target: Target,
    read = this.#cacheReads.get(target.query.name.ascii),
  ): LookupOutcome | Promise<LookupOutcome> {
    const { registry, query } = target;
    const { answer: stored, ...missed } = read ?? {};
    if (stored) return this.#reportAnswer(target, stored, 0);
    const startedAt = this.#options.clock.elapsed();
    return this.#loaderOf(registry)
      .load({ ...query, ...missed })
      .then((answer) => {
        this.objectValues.spendRecord(answer.data);
        return this.#reportAnswer(target, answer, this.#options.clock.elapsed() - startedAt);
      });
  }

  #loaderOf(registry: Registry): DataLoader<NameQuery, Answer> {
    const existing = this.#loaders.get(registry);
    if (existing) return existing;
    const loader = createLoader<NameQuery, Answer>(async (queries) => {
      const request = this.#openRequests().first();
      return queries.map((query) => registry.lookup(query, request));
    }, this.#schedule);
    this.#loaders.set(registry, loader);
    return loader;
  }

  #reportAnswer({ query, policy }: Target, answer: Answer, latencyMs: number): LookupOutcome {
    const { name, detail } = query;
    const now = this.#options.clock.now();
    const answered = outcomeOfAnswer(answer, detail, latencyMs, now);
    const outcome = withPolicy(answered, name, policy, now);
    if (outcome.data) {
      this.progress.answered.add(name.ascii);
      if (answered.problem?.code === 'no_rdap') this.progress.withoutRecord.add(name.ascii);
    } else if (!this.#requests?.isAborted()) this.progress.recordFailed(name.ascii);
    if (!outcome.cached && outcome.registration && detail !== 'verdict')
      this.#options.onRegistration(name.suffix, outcome.registration());
    if (!outcome.cached && outcome.data === 'AVAILABLE' && outcome.checkedAt !== undefined)
      this.#options.onAvailable?.(name.ascii, outcome.checkedAt);
    addTimings(this.timings, answer.provenance);
    return this.#report(outcome, name.suffix);
  }

  #report(outcome: LookupOutcome, suffix?: string): LookupOutcome {
    this.#options.onOutcome(statusOf(outcome), outcome, suffix);
    this.#outcomes.push(outcome);
    return outcome;
  }

  /** A PENDING row is charged, because its lookup continues. */
  #recordPending({ domain }: DomainRow): void {
    this.progress.recordPending(domain);
    this.#outcomes.push(pendingOutcome(0));
  }
}
