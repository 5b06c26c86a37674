import type { Clock } from '../../clock.ts';
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

/** The result of looking a canary up. `unsent` says nothing about the server. */
export type CanaryResult = 'found' | 'notFound' | 'failed' | 'notSent';

/**
 * Whether the 404s of a server count. `unproven`: it has never found a name of this entry. `unconfirmed`: its last check is too old, and the
 * one that is due came to nothing. `failing`: it does not find names that it must hold.
 */
export type NotFoundTrust = 'proven' | 'unproven' | 'unconfirmed' | 'failing';

interface CanaryMonitorOptions {
  readonly clock: Clock;
  /** Names that the registry of this entry should hold and that it was not seen to find yet, the likeliest first. */
  readonly candidates: () => readonly DomainName[];
  /** Looks a canary up at the server. Never rejects. */
  readonly lookUp: (canary: DomainName) => Promise<CanaryResult>;
  /** Whether a server that finds no candidate lacks the data of this entry, although it has never found a name of it. */
  readonly mustFind: () => boolean;
  /** Called when the server stops finding its canaries. */
  readonly onFailing: () => void;
  /** From an earlier process. */
  readonly initialState?: CanaryState | undefined;
  /** Reads and writes the state that is shared with other nodes and later processes. Neither rejects. */
  readonly load: () => Promise<CanaryState | undefined>;
  readonly save: (state: CanaryState) => Promise<void>;
}

const checkIntervalMs = 5 * 60_000;
/** Bounds how many 404s are taken for AVAILABLE when a server loses its data between two checks. */
const maxNotFoundsPerCheck = 20;
const retryIntervalMs = 30_000;
const discardMs = 60_000;

/**
 * Decides whether one server's 404s count for one directory entry. A server that does not find a name that it must hold proves nothing by not
 * finding another, so it is checked with such names (canaries) while its 404s are in use.
 */
export class CanaryMonitor {
  readonly #options: CanaryMonitorOptions;
  #state: CanaryState;
  #runningCheck: Promise<boolean> | undefined;
  #nextCheck: Promise<boolean> | undefined;
  /** 404s since a canary was last found. */
  #notFoundCount = 0;
  #isExpired = false;
  /** Where the next check begins among the canaries, so that each of them has its turn. */
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

  /** When a check last found a canary; epoch ms, 0 for never. */
  get foundAt(): number {
    return this.#state.foundAt;
  }

  /** Whether a 404 of that moment (epoch ms) still counts. */
  trusts(checkedAt: number): boolean {
    return !this.#state.failing && checkedAt >= this.#state.trustedSince;
  }

  /** Whether a cached AVAILABLE answer of that moment still counts. Begins a check where one is due, and does not wait for it. */
  trustsCached(checkedAt: number): boolean {
    void this.#checkIfDue();
    return this.trusts(checkedAt);
  }

  /** Records that the server found a name that a caller looked up. */
  recordFound(name: DomainName): void {
    const before = this.#state;
    const found = withFound(before, name, this.#options.clock.now());
    if (found === before) return;
    this.#state = found;
    void this.#saveFound(name, before, found);
  }

  /** Makes a check due, whatever other nodes have found. */
  expire(): void {
    this.#isExpired = true;
  }

  /** Discards the AVAILABLE answers so far and for the next minute, because the server confuses its responses. */
  discardAvailable(): void {
    void this.#update({ trustedSince: this.#options.clock.now() + discardMs });
  }

  /** Checks the server with its canaries if a 404 for `name` makes that due, or joins the check that runs. Resolves to whether there was one. */
  checkNotFound(name: DomainName): boolean | Promise<boolean> {
    this.#notFoundCount += 1;
    return this.#checkIfDue(name);
  }

  /** Checks the server because it returned 404 for a name that it must hold, beginning after this call. Callers that come while a check runs share the one after it. */
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
      this.#runningCheck ?? (this.#isDue() && this.#start(() => this.#checkUnlessShared(exclude)))
    );
  }

  #start(check: () => Promise<boolean>): Promise<boolean> {
    const running = check().finally(() => (this.#runningCheck = undefined));
    return (this.#runningCheck = running);
  }

  async #checkUnlessShared(exclude: DomainName | undefined): Promise<boolean> {
    const shared = await this.#options.load();
    // Another node may have checked since.
    if (shared && lastChangedAt(shared) > lastChangedAt(this.#state) && !this.#isExpired)
      this.#state = shared;
    return this.#isDue() && this.#check(exclude);
  }

  async #check(exclude: DomainName | undefined, absent: DomainName[] = []): Promise<boolean> {
    const found: DomainName[] = [];
    // One that was never found may not exist, and one name may have been deleted, or be missed once: others decide.
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
      // A server that was failing has to find more than one of those that it has found before.
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

  /** Saves what was found, unless another node knows more: a failure that it has found out must not be overwritten. */
  async #saveFound(name: DomainName, before: CanaryState, found: CanaryState): Promise<void> {
    const shared = await this.#options.load();
    if (this.#state !== found) return;
    if (!shared || lastChangedAt(shared) <= lastChangedAt(before)) return this.#options.save(found);
    this.#state = shared;
    this.recordFound(name);
  }

  #isConfirmed(): boolean {
    return (
      ageMs(this.#state.foundAt, this.#options.clock.now()) < checkIntervalMs &&
      this.#notFoundCount <= maxNotFoundsPerCheck
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
    // Saved before the check ends, so that other nodes need not repeat it.
    await this.#options.save(this.#state);
  }
}
