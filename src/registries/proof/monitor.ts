import { withTimeLimit, type Clock } from '../../clock.ts';
import type { Answer, Attempt } from '../../domain/answer.ts';
import type { ServerTrust } from '../../domain/catalogue.ts';
import { splitName, type DomainName } from '../../domain/names/domain-name.ts';
import { checkRequest, type Source } from '../../domain/source.ts';
import type { Log } from '../../log.ts';
import type { KeyValueStore } from '../../shared/key-value-store.ts';
import {
  fromStored,
  isNewer,
  toStored,
  type MonitorState,
  type StateForm,
} from './monitor-state.ts';

export interface CheckResult<State> {
  readonly state: State;
  /** The check shows that the server tells registered from unregistered names. */
  readonly isProven: boolean;
}

/** Why a server is checked. */
export interface Cause {
  /** The name of the answer, with which the server is not checked. */
  readonly name?: DomainName;
  /** The check must begin after the answer was received, because something contradicts it. */
  readonly mustFollow?: boolean;
}

export interface MonitorOptions {
  /** Identifies the server, and the names for which it is checked, in the store. */
  readonly key: string;
  /** How many AVAILABLE answers count after a check began, until the next one is due. */
  readonly maxUnverified: number;
  /** Called when the server fails its check after it had not. */
  readonly onFailing?: () => void;
  readonly store: KeyValueStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long a check proves that a server works. */
export const proofMs = 5 * 60_000;
/** The least time between two checks that prove nothing. */
export const retryIntervalMs = 30_000;
/** How long a failure that another node has found may remain unknown. */
const reloadIntervalMs = 5 * 60_000;

/**
 * Decides whether the AVAILABLE answers of one server are trusted for some of its names. A server
 * that has lost its data reports every name as unregistered, so it is checked regularly while such
 * answers are in use: every five minutes, and after some answers. Concurrent callers share a check,
 * and the nodes of a cluster share its result. A subclass knows how a server is checked.
 */
export abstract class Monitor<State extends MonitorState> {
  /** Resolves when the stored state was read. */
  readonly loaded: Promise<void>;
  protected readonly clock: Clock;
  protected readonly log: Log;
  protected state: State;
  /** When a caller's lookup last proved the server, in epoch ms. */
  protected seenAt = 0;
  readonly #options: MonitorOptions;
  readonly #form: StateForm<State>;
  #isLoaded: boolean;
  #loadedAt: number;
  #running: Promise<boolean> | undefined;
  /** The number of AVAILABLE answers that this process has received. */
  #received = 0;
  /** How many of them preceded the last check of this process that proved the server. */
  #verified = 0;

  /** `stored`: the stored state, null if there is none; without it, it is read now. */
  constructor(options: MonitorOptions, form: StateForm<State>, stored?: object | null) {
    this.#options = options;
    this.#form = form;
    this.clock = options.clock;
    this.log = options.log;
    this.state = stored ? fromStored(stored, form) : form.initial;
    this.#isLoaded = stored !== undefined;
    this.#loadedAt = options.clock.now();
    this.loaded = this.#isLoaded
      ? Promise.resolve()
      : this.load().then(() => void (this.#isLoaded = true));
  }

  /**
   * Checks the server. Resolves to a function that returns the result, or undefined without one, at
   * once: the state may have changed while the check ran. Never rejects.
   */
  protected abstract check(cause: Cause): Promise<() => CheckResult<State> | undefined>;

  /** Whether the server has ever been proven. */
  abstract get hasProof(): boolean;

  /** When the server was last proven; 0 if never. */
  get provenAt(): number {
    return this.state.provenAt;
  }

  get isFailing(): boolean {
    return this.state.isFailing;
  }

  get isChecking(): boolean {
    return this.#running !== undefined;
  }

  get trust(): ServerTrust['trust'] {
    if (this.isFailing) return 'failing';
    if (!this.hasProof) return 'unproven';
    return this.verifies(this.#received) ? 'proven' : 'unconfirmed';
  }

  /**
   * Returns whether the server has not failed since an answer received at `checkedAt` (epoch ms).
   * False until the stored state was read.
   */
  trusts(checkedAt: number): boolean {
    return this.#isLoaded && !this.isFailing && checkedAt >= this.state.trustedSince;
  }

  /** Returns whether the server may be checked again, although a check has just proven nothing. */
  isRetryDue(now = this.clock.now()): boolean {
    return ageMs(this.state.checkedAt, now) >= retryIntervalMs;
  }

  /** Counts an AVAILABLE when it is received. Returns its number. */
  count(): number {
    this.#received += 1;
    return this.#received;
  }

  /**
   * Returns whether the AVAILABLE with this number is verified: the server was proven recently, on
   * this or another node, and few answers have been received since the last check on this one.
   * `mustFollow`: a check proved the server after the answer was received.
   */
  verifies(answer: number, mustFollow = false, now = this.clock.now()): boolean {
    const maxUnverified = mustFollow ? 0 : this.#options.maxUnverified;
    return answer - this.#verified <= maxUnverified && this.isConfirmed(now);
  }

  /**
   * Checks the server if the AVAILABLE with this number, by default the last one, is not verified, or
   * joins a running check. Unless it must follow the answer, a check that proves nothing is repeated
   * after 30 seconds at the earliest. Resolves to whether there was a check.
   */
  verify(answer = this.#received, cause: Cause = {}): Promise<boolean> | undefined {
    const now = this.clock.now();
    const isDue = (at = this.clock.now()) => this.#isDue(answer, cause.mustFollow, at);
    if (this.#running) return this.#follow(this.#running, isDue, cause);
    const isReloadDue = ageMs(this.#loadedAt, now) >= reloadIntervalMs;
    return isDue(now) || isReloadDue ? this.checkIf(isDue, cause) : undefined;
  }

  /**
   * Waits for a check until `deadline` (epoch ms) at most. Returns its attempt, without a code; none if
   * there was no check.
   */
  async waitFor(
    check: Promise<boolean> | undefined,
    deadline: number,
  ): Promise<readonly Omit<Attempt, 'code'>[]> {
    if (!check) return [];
    const startedAt = this.clock.now();
    const wasChecked = await withTimeLimit(check, { clock: this.clock, ms: deadline - startedAt });
    const ms = this.clock.now() - startedAt;
    return (wasChecked ?? true) ? [{ phase: 'canary', ms }] : [];
  }

  /** Requires a check, although the server was proven recently. */
  makeDue(): void {
    this.#verified = -Infinity;
  }

  /** When a check or a caller's lookup last proved the server, in epoch ms; 0 if never. */
  get confirmedAt(): number {
    return Math.max(this.provenAt, this.seenAt);
  }

  /** Returns whether the server was proven within the five minutes before `now`. */
  isConfirmed(now = this.clock.now()): boolean {
    return !this.isFailing && ageMs(this.confirmedAt, now) < proofMs;
  }

  /** Runs a check if it is still due after the state of other nodes was read. */
  protected checkIf(isDue: () => boolean, cause: Cause = {}): Promise<boolean> {
    const check = async () => {
      // Another node may have checked in the meantime.
      await this.load();
      return isDue() && this.#check(cause);
    };
    return (this.#running = check().finally(() => (this.#running = undefined)));
  }

  /** Reads the stored state, and uses it if it is newer. */
  protected async load(): Promise<void> {
    this.#loadedAt = this.clock.now();
    const stored = await this.readStored();
    if (stored) this.adopt(stored);
  }

  /** Uses the state of another node if it is newer. */
  protected adopt(stored: State): void {
    if (!isNewer(stored, this.state)) return;
    const { trustedSince } = this.state;
    // A check of another node may have begun before this one distrusted earlier answers.
    const isOutdated = stored.provenAt < trustedSince;
    this.state = isOutdated ? { ...stored, trustedSince, provenAt: 0, checkedAt: 0 } : stored;
  }

  /** Returns the stored state; undefined if there is none, or if the read fails. */
  protected async readStored(): Promise<State | undefined> {
    const { key, store } = this.#options;
    try {
      const stored = (await store.read(key)).get(key);
      return stored === undefined
        ? undefined
        : fromStored(JSON.parse(stored) as object, this.#form);
    } catch (error) {
      this.log.error({ err: error }, 'Failed to read registry state. Check the store.');
      return undefined;
    }
  }

  /** Changes the state, and stores it. Never rejects. */
  protected async update(changes: Partial<State>): Promise<void> {
    const { key, store } = this.#options;
    this.state = { ...this.state, ...changes };

    try {
      await store.put(key, JSON.stringify(toStored(this.state, this.#form)));
    } catch (error) {
      this.log.error({ err: error }, 'Failed to store registry state. Check the store.');
    }
  }

  async #follow(running: Promise<boolean>, isDue: () => boolean, cause: Cause): Promise<boolean> {
    // The running check may have begun before the answer was received. The next one has not.
    const wasChecked = await running;
    if (!isDue()) return wasChecked;
    return (await (this.#running ?? this.checkIf(isDue, cause))) || wasChecked;
  }

  async #check(cause: Cause): Promise<boolean> {
    const received = this.#received;
    const conclude = await this.check(cause);
    const checked = conclude();
    if (!checked) return false;

    const wasFailing = this.isFailing;
    if (checked.isProven) this.#verified = received;

    // Saved before the check ends, so that other nodes do not repeat it.
    await this.update(checked.state);
    if (this.isFailing && !wasFailing) this.#options.onFailing?.();
    return true;
  }

  #isDue(answer: number, mustFollow: boolean | undefined, now: number): boolean {
    if (this.verifies(answer, mustFollow, now)) return false;
    const { isFailing, provenAt, checkedAt } = this.state;
    const wasProven = !isFailing && provenAt >= checkedAt;
    return wasProven || this.isRetryDue(now) || (mustFollow === true && !isFailing);
  }
}

/** Looks up a name to check a server. Waits in its queue until `queueDeadline` (epoch ms). */
export function lookUpToCheck(
  server: Source,
  name: DomainName,
  queueDeadline: number,
): Promise<Answer> {
  const query = { name: splitName(name), detail: 'verdict' } as const;
  return server.lookup(query, checkRequest(queueDeadline));
}

/**
 * Returns the age of a time; Infinity if it is in the future, because it was recorded by a clock
 * that was ahead.
 */
export function ageMs(moment: number, now: number): number {
  return moment > now ? Infinity : now - moment;
}
