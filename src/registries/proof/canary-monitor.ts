import type { Clock } from '../../clock.ts';
import type { ServerTrust } from '../../domain/catalogue.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import {
  ageMs,
  lastChangedAt,
  namesToLookUp,
  initialCanaryState,
  withRecovery,
  withFound,
  type CanaryState,
} from './canary-state.ts';

/**
 * The result of a canary lookup. `failed` and `notSent` are not evidence for or against the server.
 */
export type CanaryResult = 'found' | 'notFound' | 'failed' | 'notSent';

export type NotFoundTrust = ServerTrust['trust'];

interface CanaryMonitorOptions {
  readonly clock: Clock;
  /**
   * Returns names that the registry of this entry probably holds but has not found yet, most likely
   * first.
   */
  readonly candidates: () => readonly DomainName[];
  /** Looks up a canary at the server. Never rejects. */
  readonly lookUp: (canary: DomainName) => Promise<CanaryResult>;
  /**
   * Returns whether a server that finds no candidate must be missing data, even if it has never
   * found a name of this entry.
   */
  readonly mustFind: () => boolean;
  /** How many 404s count after a canary was found, until a check is due. */
  readonly maxUnverified: number;
  /** Called when the server stops finding its canaries. */
  readonly onFailing: () => void;
  /** The state saved by an earlier process. */
  readonly initialState?: CanaryState | undefined;
  /**
   * Reads and writes the state that is shared with other nodes and later processes. Neither
   * rejects.
   */
  readonly load: () => Promise<CanaryState | undefined>;
  readonly save: (state: CanaryState) => Promise<void>;
}

const checkIntervalMs = 5 * 60_000;
const retryIntervalMs = 30_000;
const discardMs = 60_000;
/** How long before the canaries expire they are looked up in the background. */
const refreshAheadMs = 60_000;

/**
 * Decides whether one server's 404s are trusted for one directory entry. The 404s of a server that
 * does not find names that it must hold (canaries) prove nothing, so the canaries are looked up
 * regularly while 404s are in use.
 */
export class CanaryMonitor {
  readonly #options: CanaryMonitorOptions;
  #state: CanaryState;
  #runningCheck: Promise<boolean> | undefined;
  #nextCheck: Promise<boolean> | undefined;
  /** The number of 404s since a canary was last found. */
  #notFoundCount = 0;
  #isExpired = false;
  /** When a caller's lookup last found a name, in epoch ms. */
  #nameFoundAt = 0;
  /** The index of the first canary of the next check: checks rotate through the canaries. */
  #rotation = 0;

  constructor(options: CanaryMonitorOptions) {
    this.#options = options;
    this.#state = options.initialState ?? initialCanaryState;
  }

  get trust(): NotFoundTrust {
    if (this.#state.failing) return 'failing';
    if (!this.hasFound) return 'unproven';
    return this.#isConfirmed() ? 'proven' : 'unconfirmed';
  }

  /** Whether the server has ever found a name of this entry. */
  get hasFound(): boolean {
    return this.#state.canaries.length > 0;
  }

  get canaries(): readonly DomainName[] {
    return this.#state.canaries;
  }

  /** When a check last found a canary, in epoch ms; 0 if never. */
  get foundAt(): number {
    return this.#state.foundAt;
  }

  /** Returns whether a 404 received at `checkedAt` (epoch ms) is still trusted. */
  trusts(checkedAt: number): boolean {
    return !this.#state.failing && checkedAt >= this.#state.trustedSince;
  }

  /**
   * Returns whether a cached AVAILABLE of that time is still trusted. Starts a check if one is due,
   * without waiting for it.
   */
  trustsCached(checkedAt: number): boolean {
    void this.#checkIfDue();
    return this.trusts(checkedAt);
  }

  /**
   * Records that the server found a name in a caller's lookup: it still has data, so no check is due
   * for five minutes. A check of the canaries also notices that a part is lost, so it is still due
   * after a number of 404s.
   */
  recordFound(name: DomainName): void {
    this.#nameFoundAt = this.#options.clock.now();
    const before = this.#state;
    const found = withFound(before, name, this.#options.clock.now());
    if (found === before) return;
    this.#state = found;
    void this.#saveFound(name, before, found);
  }

  /** Checks the server if a check is due, without waiting for it, because a 404 is expected. */
  prepare(exclude: DomainName): void {
    void this.#checkIfDue(exclude);
  }

  /** Whether the server has not been checked recently, or a check is due in less than a minute. */
  get needsRefresh(): boolean {
    const { failing, checkedAt } = this.#state;
    const sinceCheck = ageMs(checkedAt, this.#options.clock.now()) + refreshAheadMs;
    return !failing && sinceCheck >= checkIntervalMs && !this.#isConfirmed(refreshAheadMs);
  }

  /** Checks the server before a check is due, unless another node has just done so. */
  refresh(): void {
    if (!this.#runningCheck)
      void this.#start(() => this.#checkUnlessShared(() => this.needsRefresh));
  }

  /** Makes a check due, even if another node has checked recently. */
  expire(): void {
    this.#isExpired = true;
  }

  /**
   * Discards all AVAILABLE answers up to one minute from now, because the server mixes up its
   * responses.
   */
  discardAvailable(): void {
    void this.#update({ trustedSince: this.#options.clock.now() + discardMs });
  }

  /**
   * Counts a 404 for `name`, and checks the server if that is due or joins a running check.
   * Resolves to whether there was a check.
   */
  checkNotFound(name: DomainName): boolean | Promise<boolean> {
    this.#notFoundCount += 1;
    return this.#checkIfDue(name);
  }

  /**
   * Checks the server because it returned 404 for a name that it must hold. The check starts after
   * this call: if one is already running, all callers share the next one.
   */
  checkContradiction(exclude: DomainName): Promise<boolean> {
    const check = () => this.#start(() => this.#check(exclude, [exclude]));
    if (!this.#runningCheck) return check();
    return (this.#nextCheck ??= this.#runningCheck.then(() => {
      this.#nextCheck = undefined;
      return check();
    }));
  }

  #checkIfDue(exclude?: DomainName): boolean | Promise<boolean> {
    return (
      this.#runningCheck ??
      (this.#isDue() && this.#start(() => this.#checkUnlessShared(() => this.#isDue(), exclude)))
    );
  }

  #start(check: () => Promise<boolean>): Promise<boolean> {
    const running = check().finally(() => (this.#runningCheck = undefined));
    return (this.#runningCheck = running);
  }

  async #checkUnlessShared(isDue: () => boolean, exclude?: DomainName): Promise<boolean> {
    const shared = await this.#options.load();
    // Another node may have checked in the meantime.
    if (shared && lastChangedAt(shared) > lastChangedAt(this.#state) && !this.#isExpired)
      this.#state = shared;
    return isDue() && this.#check(exclude);
  }

  async #check(exclude: DomainName | undefined, absent: DomainName[] = []): Promise<boolean> {
    const found: DomainName[] = [];
    // A single missing name is not enough: a candidate may not exist, and a canary may have been
    // deleted or be missed once.
    const hasFoundEnough = () =>
      found.length > 0 && (found.length >= absent.length || !this.hasFound);
    let lookups = 0;
    for (const name of namesToLookUp(
      this.#state,
      this.#options.candidates(),
      this.#rotation++,
      exclude,
    )) {
      const result = await this.#options.lookUp(name);
      if (result === 'notSent') break;
      lookups += 1;
      if (result === 'found') found.push(name);
      if (result === 'notFound' && (this.canaries.includes(name) || !this.hasFound))
        absent.push(name);
      // While the server fails, all canaries are looked up: the first could be the only one found.
      if (hasFoundEnough() && !this.#state.failing) break;
    }
    if (lookups === 0) return false;
    this.#isExpired = false;
    if (hasFoundEnough()) {
      this.#notFoundCount = 0;
      await this.#update(withRecovery(this.#state, found, absent, this.#options.clock.now()));
    } else if (absent.length > 0) await this.#fail();
    else await this.#update({ checkedAt: this.#options.clock.now() });
    return true;
  }

  async #fail(): Promise<void> {
    const { clock, mustFind, onFailing } = this.#options;
    const { missed, failing: wasFailing } = this.#state;
    const failing = this.hasFound || mustFind();
    await this.#update({ checkedAt: clock.now(), missed: missed + 1, failing });
    if (failing && !wasFailing) onFailing();
  }

  /**
   * Saves a found name, unless another node has saved a newer state: a failure that it detected
   * must not be overwritten.
   */
  async #saveFound(name: DomainName, before: CanaryState, found: CanaryState): Promise<void> {
    const shared = await this.#options.load();
    if (this.#state !== found) return;
    if (!shared || lastChangedAt(shared) <= lastChangedAt(before)) return this.#options.save(found);
    this.#state = shared;
    this.recordFound(name);
  }

  #isConfirmed(aheadMs = 0): boolean {
    const foundAt = Math.max(this.#state.foundAt, this.#nameFoundAt);
    return (
      ageMs(foundAt, this.#options.clock.now()) + aheadMs < checkIntervalMs &&
      this.#notFoundCount <= this.#options.maxUnverified
    );
  }

  #isDue(): boolean {
    const { failing, checkedAt, foundAt } = this.#state;
    if (this.#isExpired) return true;
    if (this.hasFound && !failing && this.#isConfirmed()) return false;
    const wasFound = this.hasFound && !failing && foundAt >= checkedAt;
    return wasFound || ageMs(checkedAt, this.#options.clock.now()) >= retryIntervalMs;
  }

  async #update(changes: Partial<CanaryState>): Promise<void> {
    this.#state = { ...this.#state, ...changes };
    // Saved before the check ends, so that other nodes do not repeat it.
    await this.#options.save(this.#state);
  }
}
