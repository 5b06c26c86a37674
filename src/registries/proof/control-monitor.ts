import type { KeyValueStore } from '../../shared/key-value-store.ts';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { ageMs } from './canary-state.ts';

/** Why the controls of a server did not pass, if they did not. `not_sent`: no query was sent. */
type ControlResult = 'passed' | 'failed' | 'inconclusive' | 'not_sent';

export interface ControlOutcome {
  readonly result: ControlResult;
  /** The form of the reply about an unregistered name, if it is a text. */
  readonly replyForm?: string | undefined;
}

export interface ControlMonitorOptions {
  /** Identifies the server and the suffix. */
  readonly key: string;
  /** The request forms of the server, most likely first. */
  readonly forms: readonly [string, ...string[]];
  /** Makes both control lookups with a request form. Never rejects. */
  readonly runControls: (form: string) => Promise<ControlOutcome>;
  /** Called when the controls fail after they had not. */
  readonly onFailed?: () => void;
  /** How many AVAILABLE answers count after the controls began, until they must pass again. */
  readonly maxUnverified: number;
  readonly store: KeyValueStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** What the nodes share about the controls of a server. All times are in epoch ms, 0 if never. */
interface ControlState {
  /** When both controls last passed. */
  readonly passedAt: number;
  /** The request form with which they passed. */
  readonly form?: string;
  readonly replyForm?: string | undefined;
  /** When they last began, if they passed, else when they ended. */
  readonly checkedAt: number;
  /** The last conclusive check failed. */
  readonly isFailing: boolean;
  /** Answers received earlier are from a server that failed. */
  readonly trustedSince: number;
}

const keyPrefix = 'controls:';
const validityMs = 5 * 60_000;
const retryIntervalMs = 30_000;
/** How long a failure that another node has found may remain unknown. */
const reloadIntervalMs = 5 * 60_000;

/**
 * Holds, shares and persists whether one server passes its controls for one suffix, and the request
 * form with which it does. Concurrent callers share a check.
 */
export class ControlMonitor {
  readonly #options: ControlMonitorOptions;
  readonly #key: string;
  readonly #loaded: Promise<void>;
  #isLoaded = false;
  #loadedAt = 0;
  #state: ControlState = { passedAt: 0, checkedAt: 0, isFailing: false, trustedSince: 0 };
  #running: Promise<void> | undefined;
  /** The number of AVAILABLE answers that this process has received. */
  #received = 0;
  /** How many of them preceded the controls that last passed in this process. */
  #verified = 0;

  constructor(options: ControlMonitorOptions) {
    this.#options = options;
    this.#key = `${keyPrefix}${options.key}`;
    this.#loaded = this.#load().then(() => void (this.#isLoaded = true));
  }

  /** Resolves when the stored state was read. */
  get loaded(): Promise<void> {
    return this.#loaded;
  }

  /** The request form with which the controls last passed. */
  get form(): string | undefined {
    return this.#state.form;
  }

  get isFailing(): boolean {
    return this.#state.isFailing;
  }

  get isChecking(): boolean {
    return this.#running !== undefined;
  }

  /** Whether both controls passed within the last five minutes. */
  get isConfirmed(): boolean {
    const { isFailing, passedAt, trustedSince } = this.#state;
    const isRecent = ageMs(passedAt, this.#options.clock.now()) < validityMs;
    return !isFailing && passedAt >= trustedSince && isRecent;
  }

  /** When both controls last passed, in epoch ms; 0 if never. */
  get passedAt(): number {
    return this.#state.passedAt;
  }

  /**
   * Returns whether the server has not failed its controls since an answer received at `checkedAt`
   * (epoch ms). False until the stored state was read.
   */
  trusts(checkedAt: number): boolean {
    const { isFailing, trustedSince } = this.#state;
    return this.#isLoaded && !isFailing && checkedAt >= trustedSince;
  }

  /** Returns whether a reply has the form of the one about a name that is not registered. */
  isKnownForm(replyForm: string | undefined): boolean {
    return replyForm === this.#state.replyForm;
  }

  /** Whether the controls may run again, although they have passed recently. */
  get isRetryDue(): boolean {
    return ageMs(this.#state.checkedAt, this.#options.clock.now()) >= retryIntervalMs;
  }

  /** Counts an AVAILABLE when it is received. Returns its number. */
  count(): number {
    this.#received += 1;
    return this.#received;
  }

  /**
   * Returns whether the controls verify the AVAILABLE with this number: they passed recently, on this
   * or another node, and few answers have been received since they last passed on this one.
   * `mustFollow`: they passed after it was received.
   */
  verifies(answer: number, mustFollow: boolean): boolean {
    const maxUnverified = mustFollow ? 0 : this.#options.maxUnverified;
    return this.isConfirmed && answer - this.#verified <= maxUnverified;
  }

  /**
   * Runs the controls if they do not verify the AVAILABLE with this number, or joins a running check.
   * Unless they must follow it, they run at most every 30 seconds while they do not pass.
   */
  verify(answer: number, mustFollow: boolean): Promise<void> | undefined {
    const isReloadDue = ageMs(this.#loadedAt, this.#options.clock.now()) >= reloadIntervalMs;
    return this.#running || this.#isDue(answer, mustFollow) || isReloadDue
      ? this.#verify(answer, mustFollow)
      : undefined;
  }

  /** Requires that the controls pass again, because the DNS contradicts an AVAILABLE. */
  makeDue(): void {
    this.#verified = -Infinity;
  }

  /**
   * Requires that the controls pass again, although they have passed recently, and distrusts all
   * earlier answers.
   */
  async expire(): Promise<void> {
    const now = this.#options.clock.now();
    await this.#loaded;
    if (this.isFailing) return;
    // The newest state counts, but should not look like a check that was just made.
    const checkedAt = Math.max(now - retryIntervalMs, this.#state.checkedAt + 1);
    await this.#update({ ...this.#state, passedAt: 0, checkedAt, trustedSince: now });
  }

  async #verify(answer: number, mustFollow: boolean): Promise<void> {
    // A running check may have begun before the answer was received. The next one has not.
    for (let checks = 0; checks < 2; checks += 1) {
      await (this.#running ?? this.#start(() => this.#checkUnlessShared(answer, mustFollow)));
      if (!this.#isDue(answer, mustFollow)) return;
    }
  }

  #start(check: () => Promise<void>): Promise<void> {
    return (this.#running = check().finally(() => (this.#running = undefined)));
  }

  async #checkUnlessShared(answer: number, mustFollow: boolean): Promise<void> {
    // Another node may have checked in the meantime.
    await this.#load();
    if (this.#isDue(answer, mustFollow)) await this.#runControls();
  }

  async #runControls(): Promise<void> {
    const { forms, runControls, clock } = this.#options;
    const startedAt = clock.now();
    const received = this.#received;
    const { form: confirmed, isFailing, trustedSince } = this.#state;
    const results: ControlResult[] = [];
    for (const form of new Set([confirmed ?? forms[0], ...forms])) {
      const { result, replyForm } = await runControls(form);
      if (result === 'passed') {
        // `expire` was called during the check, whose first lookups may precede the change.
        if (this.#state.trustedSince !== trustedSince) return;
        if (isFailing) this.#log('info', 'The control lookups of the registry succeed again.');
        this.#verified = received;
        return this.#update({
          form,
          replyForm,
          passedAt: startedAt,
          checkedAt: startedAt,
          isFailing: false,
          trustedSince: isFailing ? startedAt : trustedSince,
        });
      }
      results.push(result);
      if (result === 'not_sent') break;
    }
    if (results[0] === 'not_sent') return;
    const hasFailed = results.every((result) => result === 'failed');
    const isNewFailure = hasFailed && !isFailing;
    if (isNewFailure)
      this.#log(
        'warn',
        'The registry does not tell registered from unregistered names in control lookups. Its "available" is ignored until it does.',
      );
    await this.#update({
      ...this.#state,
      checkedAt: clock.now(),
      isFailing: isFailing || hasFailed,
    });
    if (isNewFailure) this.#options.onFailed?.();
  }

  #log(level: 'info' | 'warn', text: string): void {
    this.#options.log[level]({ server: this.#options.key }, text);
  }

  #isDue(answer: number, mustFollow: boolean): boolean {
    if (this.verifies(answer, mustFollow)) return false;
    const { isFailing, passedAt, checkedAt } = this.#state;
    const hasPassed = !isFailing && passedAt > 0 && passedAt >= checkedAt;
    return hasPassed || this.isRetryDue || (mustFollow && !isFailing);
  }

  /**
   * Reads the stored state, and keeps it if it is newer. The controls must pass again if they passed
   * with a request form that this node does not use.
   */
  async #load(): Promise<void> {
    const { store, forms, clock, log } = this.#options;
    this.#loadedAt = clock.now();
    try {
      const stored = (await store.read(this.#key)).get(this.#key);
      if (stored === undefined) return;
      const state = JSON.parse(stored) as ControlState;
      const isOfTheseForms = state.form === undefined || forms.includes(state.form);
      if (isOfTheseForms && state.checkedAt > this.#state.checkedAt)
        // A check of another node may have begun before this one distrusted earlier answers.
        this.#state = {
          ...state,
          trustedSince: Math.max(state.trustedSince, this.#state.trustedSince),
        };
      else if (!isOfTheseForms) this.#distrustBefore(state);
    } catch (error) {
      log.error({ err: error }, 'Failed to read the state of controls. Check the store.');
    }
  }

  /** Distrusts the answers that a state with another request form distrusts. */
  #distrustBefore({ isFailing, checkedAt, trustedSince }: ControlState): void {
    const since = Math.max(this.#state.trustedSince, isFailing ? checkedAt : trustedSince);
    this.#state = { ...this.#state, trustedSince: since };
  }

  async #update(state: ControlState): Promise<void> {
    this.#state = state;
    try {
      // Saved before the check ends, so that other nodes do not repeat it.
      await this.#options.store.put(this.#key, JSON.stringify(state));
    } catch (error) {
      this.#options.log.error(
        { err: error },
        'Failed to store the state of controls. Check the store.',
      );
    }
  }
}
