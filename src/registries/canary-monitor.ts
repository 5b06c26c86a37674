import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';

/** What is known of a server's ability to find the names of one directory entry. */
export interface CanaryState {
  /** Names that the server has found and is checked with, the newest first. */
  readonly canaries: readonly DomainName[];
  /** When a canary was last looked up; epoch ms, 0 for never. */
  readonly checkedAt: number;
  /** When a canary was last found; epoch ms, 0 for never. */
  readonly foundAt: number;
  /** Two canaries in a row were not found: 404s prove nothing until one is found again. */
  readonly failing: boolean;
  /** AVAILABLE answers from before this moment (epoch ms) no longer count. */
  readonly trustedSince: number;
  /** How many canaries were not found since one was last found. */
  readonly missed: number;
}

/** The result of looking a canary up. `unsent` says nothing about the server. */
export type CanaryResult = 'found' | 'absent' | 'unanswered' | 'unsent';

/** Whether the 404s of a server count. `unproven`: it has never found a name of this entry. */
export type NotFoundTrust = 'proven' | 'unproven' | 'failing';

export interface CanaryOptions {
  readonly clock: Clock;
  /** Well-known names that the registry of this entry should hold, the likeliest first. */
  readonly candidates: readonly DomainName[];
  /** Looks a canary up at the server. Never rejects. */
  readonly lookUp: (canary: DomainName) => Promise<CanaryResult>;
  /** Whether the server finds names of other entries: if so, and it finds no candidate, it lacks the data of this one. */
  readonly findsOtherEntries: () => boolean;
  /** Called when the server stops finding its canaries. */
  readonly onFailing: () => void;
  /** From an earlier process. */
  readonly initial?: CanaryState | undefined;
  /** Reads and writes the state that is shared with other nodes and later processes. Neither rejects. */
  readonly load: () => Promise<CanaryState | undefined>;
  readonly save: (state: CanaryState) => Promise<void>;
}

const checkEveryMs = 5 * 60_000;
/** Bounds how many 404s are taken for AVAILABLE when a server loses its data between two checks. */
const checkEveryNotFounds = 20;
const retryEveryMs = 30_000;
/** How long 404s stay trusted while lookups of canaries get no answer. */
const maxUnconfirmedMs = 15 * 60_000;
const maxCanaries = 4;

const nothingFound: CanaryState = { canaries: [], checkedAt: 0, foundAt: 0, failing: false, trustedSince: 0, missed: 0 };

/**
 * Decides whether one server's 404s count for one directory entry. A server that does not find a name that it must hold proves nothing by not
 * finding another, so it is checked with such names (canaries) while its 404s are in use.
 */
export class CanaryMonitor {
  readonly #options: CanaryOptions;
  #state: CanaryState;
  #running: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;
  #notFounds = 0;
  #isExpired = false;

  constructor(options: CanaryOptions) {
    this.#options = options;
    this.#state = options.initial ?? nothingFound;
  }

  get trust(): NotFoundTrust {
    const { failing, foundAt } = this.#state;
    if (failing) return 'failing';
    if (!this.hasFound) return 'unproven';
    return this.#age(foundAt) > maxUnconfirmedMs ? 'failing' : 'proven';
  }

  /** Whether the server has ever found a name of this entry. */
  get hasFound(): boolean {
    return this.#state.canaries.length > 0;
  }

  /** When a canary was last found; epoch ms, 0 for never. */
  get foundAt(): number {
    return this.#state.foundAt;
  }

  isCanary(name: DomainName): boolean {
    return this.#state.canaries.includes(name);
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

  /** Records that the server found a name that a caller looked up: the first one becomes a canary, as does one found while others are not. */
  recordFound(name: DomainName): void {
    const before = this.#state;
    if (this.isCanary(name) || (this.hasFound && !before.failing)) return;
    const canaries = [name, ...before.canaries].slice(0, maxCanaries);
    const foundAt = before.failing ? before.foundAt : this.#options.clock.now();
    // The next 404 begins a check: a single name that is found does not end a failure by itself.
    this.#state = { ...before, canaries, foundAt, checkedAt: 0, missed: 0 };
    void this.#saveFound(name, before, this.#state);
  }

  /** Saves what was found, unless another node knows more: a failure that it has found out must not be overwritten. */
  async #saveFound(name: DomainName, before: CanaryState, found: CanaryState): Promise<void> {
    const shared = await this.#options.load();
    if (this.#state !== found) return;
    if (!shared || lastChange(shared) <= lastChange(before)) return this.#options.save(found);
    this.#state = shared;
    this.recordFound(name);
  }

  /** Makes a check due, whatever other nodes have found. */
  expire(): void {
    this.#isExpired = true;
  }

  /** Discards the AVAILABLE answers so far. */
  discardAvailable(): void {
    void this.#change({ trustedSince: this.#options.clock.now() + 1 });
  }

  /** Checks the server with its canaries if a 404 for `name` makes that due, or joins the check that runs. Resolves to whether there was one. */
  checkNotFound(name: DomainName): boolean | Promise<boolean> {
    this.#notFounds += 1;
    return this.#checkIfDue(name);
  }

  /** Checks the server in any case, beginning after this call. Callers that come while a check runs share the one after it. */
  checkNow(exclude: DomainName): Promise<boolean> {
    if (!this.#running) return this.#start(() => this.#check(exclude));
    return (this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.#start(() => this.#check(exclude));
    }));
  }

  #checkIfDue(exclude?: DomainName): boolean | Promise<boolean> {
    return this.#running ?? (this.#isDue() && this.#start(() => this.#checkUnlessShared(exclude)));
  }

  #start(check: () => Promise<boolean>): Promise<boolean> {
    const running = check().finally(() => (this.#running = undefined));
    return (this.#running = running);
  }

  async #checkUnlessShared(exclude: DomainName | undefined): Promise<boolean> {
    const shared = await this.#options.load();
    // Another node may have checked since.
    if (shared && lastChange(shared) > lastChange(this.#state) && !this.#isExpired) this.#state = shared;
    return this.#isDue() && this.#check(exclude);
  }

  async #check(exclude: DomainName | undefined): Promise<boolean> {
    this.#isExpired = false;
    this.#notFounds = 0;
    const [first, second] = this.#nextCanaries(exclude);
    if (first === undefined) return false;
    const result = await this.#lookUp(first, exclude);
    // A single name may have been deleted, or be missed once: a second one decides.
    const confirmation = result === 'absent' && second !== undefined ? await this.#lookUp(second, first) : result;
    if (result === 'absent' && confirmation !== 'found') await this.#fail();
    return true;
  }

  /** The names to check with: canaries first, while they are found; then in turn, together with the candidates. */
  #nextCanaries(exclude: DomainName | undefined): readonly DomainName[] {
    const { canaries, missed } = this.#state;
    const names = [...new Set([...canaries, ...this.#options.candidates])].filter((name) => name !== exclude);
    const start = names.length === 0 ? 0 : missed % names.length;
    return [...names.slice(start), ...names.slice(0, start)];
  }

  async #lookUp(canary: DomainName, absent: DomainName | undefined): Promise<CanaryResult> {
    const result = await this.#options.lookUp(canary);
    if (result === 'found') await this.#recover(canary, this.#state.failing, absent);
    else if (result === 'unanswered') await this.#change({ checkedAt: this.#options.clock.now() });
    return result;
  }

  /** A canary that is absent while another is found was deleted, or was never there. */
  async #recover(found: DomainName, discard: boolean, absent?: DomainName): Promise<void> {
    const now = this.#options.clock.now();
    const { canaries, trustedSince } = this.#state;
    const remaining = [...new Set([found, ...canaries])].filter((name) => name !== absent).slice(0, maxCanaries);
    const since = discard ? now : trustedSince;
    await this.#change({ canaries: remaining, checkedAt: now, foundAt: now, failing: false, trustedSince: since, missed: 0 });
  }

  async #fail(): Promise<void> {
    const { clock, findsOtherEntries, onFailing } = this.#options;
    const { missed, failing: wasFailing } = this.#state;
    const failing = this.hasFound || findsOtherEntries();
    await this.#change({ checkedAt: clock.now(), missed: missed + 2, failing });
    if (failing && !wasFailing) onFailing();
  }

  #isDue(): boolean {
    const { failing, checkedAt, foundAt } = this.#state;
    const isConfirmed = this.hasFound && !failing && foundAt >= checkedAt;
    const age = this.#age(checkedAt);
    return this.#isExpired || age >= (isConfirmed ? checkEveryMs : retryEveryMs) || (isConfirmed && this.#notFounds > checkEveryNotFounds);
  }

  /** Infinity for a moment in the future, which a clock that was ahead has recorded. */
  #age(moment: number): number {
    const age = this.#options.clock.now() - moment;
    return age < 0 ? Infinity : age;
  }

  async #change(change: Partial<CanaryState>): Promise<void> {
    this.#state = { ...this.#state, ...change };
    // Saved before the check ends, so that other nodes need not repeat it.
    await this.#options.save(this.#state);
  }
}

function lastChange({ checkedAt, foundAt }: CanaryState): number {
  return Math.max(checkedAt, foundAt);
}
