import type { DomainName } from '../../domain/names/domain-name.ts';
import {
  namesToLookUp,
  canaryStateForm,
  withRecovery,
  withFound,
  type CanaryState,
} from './canary-state.ts';
import { isNewer } from './monitor-state.ts';
import {
  ageMs,
  Monitor,
  proofMs,
  type Cause,
  type CheckResult,
  type MonitorOptions,
} from './monitor.ts';

/**
 * The result of a canary lookup. `failed` and `notSent` are not evidence for or against the server.
 */
export type CanaryResult = 'found' | 'notFound' | 'failed' | 'notSent';

interface CanaryOptions extends MonitorOptions {
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
}

const discardMs = 60_000;
/** How long before the canaries expire they are looked up in the background. */
const refreshAheadMs = 60_000;

/**
 * Decides whether one server's 404s are trusted for one directory entry. The 404s of a server that
 * does not find names that it must hold (canaries) prove nothing, so the canaries are looked up
 * regularly while 404s are in use.
 */
export class CanaryMonitor extends Monitor<CanaryState> {
  readonly #options: CanaryOptions;
  /** The index of the first canary of the next check: checks rotate through the canaries. */
  #rotation = 0;

  /** `stored`: the state saved by an earlier process. */
  constructor(options: CanaryOptions, stored: object | null) {
    super(options, canaryStateForm, stored);
    this.#options = options;
  }

  /** Whether the server has ever found a name of this entry. */
  override get hasProof(): boolean {
    return this.canaries.length > 0;
  }

  /** Whether the server must be missing data if it finds no canary. */
  get mustFind(): boolean {
    return this.#options.mustFind();
  }

  get canaries(): readonly DomainName[] {
    return this.state.canaries;
  }

  /**
   * Returns whether a cached AVAILABLE of that time is still trusted. Starts a check if one is due,
   * without waiting for it.
   */
  trustsCached(checkedAt: number): boolean {
    void this.verify();
    return this.trusts(checkedAt);
  }

  /**
   * Records that the server found a name in a caller's lookup: it still has data, so no check is due
   * for five minutes. A check of the canaries also notices that a part is lost, so it is still due
   * after a number of 404s.
   */
  recordFound(name: DomainName): void {
    this.seenAt = this.clock.now();
    const before = this.state;
    const found = withFound(before, name, this.clock.now());
    if (found === before) return;
    this.state = found;
    void this.#saveFound(name, before, found);
  }

  /** Whether the server has not been checked recently, or a check is due in less than a minute. */
  get needsRefresh(): boolean {
    const soon = this.clock.now() + refreshAheadMs;
    const wasChecked = ageMs(this.state.checkedAt, soon) < proofMs;
    return !this.isFailing && !wasChecked && !this.isConfirmed(soon);
  }

  /** Checks the server before a check is due, unless another node has just done so. */
  refresh(): void {
    if (!this.isChecking) void this.checkIf(() => this.needsRefresh);
  }

  /**
   * Discards all AVAILABLE answers up to one minute from now, because the server mixes up its
   * responses.
   */
  discardAvailable(): void {
    void this.update({ trustedSince: this.clock.now() + discardMs });
  }

  protected override async check({
    name: exclude,
    mustFollow,
  }: Cause): Promise<() => CheckResult<CanaryState> | undefined> {
    const found: DomainName[] = [];
    const absent = exclude !== undefined && mustFollow ? [exclude] : [];

    // A single missing name is not enough: a candidate may not exist, and a canary may have been
    // deleted or be missed once.
    const hasFoundEnough = () =>
      found.length > 0 && (found.length >= absent.length || !this.hasProof);
    let lookups = 0;
    for (const name of namesToLookUp(
      this.state,
      this.#options.candidates(),
      this.#rotation++,
      exclude,
    )) {
      const result = await this.#options.lookUp(name);
      if (result === 'notSent') break;

      lookups += 1;
      if (result === 'found') found.push(name);
      if (result === 'notFound' && (this.canaries.includes(name) || !this.hasProof))
        absent.push(name);

      // While the server fails, all canaries are looked up: the first could be the only one found.
      if (hasFoundEnough() && !this.isFailing) break;
    }

    if (lookups === 0) return () => undefined;

    return () => {
      const isProven = hasFoundEnough();
      return { isProven, state: this.#stateAfter(isProven, found, absent) };
    };
  }

  #stateAfter(
    isProven: boolean,
    found: readonly DomainName[],
    absent: readonly DomainName[],
  ): CanaryState {
    const checkedAt = this.clock.now();
    if (isProven) return withRecovery(this.state, found, absent, checkedAt);
    if (absent.length === 0) return { ...this.state, checkedAt };
    const isFailing = this.hasProof || this.#options.mustFind();
    return { ...this.state, checkedAt, missed: this.state.missed + 1, isFailing };
  }

  /**
   * Saves a found name, unless another node has saved a newer state: a failure that it detected
   * must not be overwritten.
   */
  async #saveFound(name: DomainName, before: CanaryState, found: CanaryState): Promise<void> {
    const shared = await this.readStored();
    if (this.state !== found) return;
    if (!shared || !isNewer(shared, before)) return this.update({});
    this.state = shared;
    this.recordFound(name);
  }
}
