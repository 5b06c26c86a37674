import { setNewest } from '../../shared/lru.ts';

interface NameOutcome {
  readonly failed: boolean;
  /** Epoch ms. */
  readonly at: number;
}

/** The latest outcome of each of an account's most recent names, oldest first. */
type RecentNames = Map<string, NameOutcome>;

const minFailures = 10;
const minFailedShare = 0.8;
const openMs = 5000;
/** Long, because failures may be timeouts, and ten of them take a while. */
const failureWindowMs = 60_000;
/** Short, because a response soon stops being proof that the host is up. */
const responseWindowMs = 10_000;
/** Limits the weight of an account that sends many names. */
const maxNamesPerAccount = 10;
const maxAccounts = 32;

/**
 * Blocks requests to a host that does not respond. Opens when at least ten distinct recent names
 * got no response, they are at least 80 % of the recent names, and they come from more than one
 * account if more than one uses the host. After five seconds, lets one probe through. If only one
 * account uses the host, its failures block only this account, because its names may be the cause.
 */
export class CircuitBreaker {
  readonly #accounts = new Map<string, RecentNames>();
  /** While the breaker is open: the account that it blocks, or all accounts if there is none. */
  #blockedScope: { readonly account?: string } | undefined;
  #openUntil = -Infinity;
  #isProbing = false;

  /**
   * Returns until when an account is blocked, in epoch ms; undefined if it is not, or may send the
   * probe.
   */
  blockedUntil(account: string, now: number): number | undefined {
    if (!this.#blockedScope || (this.#blockedScope.account ?? account) !== account)
      return undefined;
    const last = Array.from(this.#accounts.get(account)?.values() ?? []).at(-1);
    const hasResponse = last && !last.failed && isRecent(last, now);
    return hasResponse ? undefined : this.openUntil(now);
  }

  /**
   * Returns when the next probe is let through, in epoch ms; undefined while the breaker is closed
   * or ready for a probe.
   */
  openUntil(now: number): number | undefined {
    if (!this.#blockedScope) return undefined;
    if (this.#isProbing) return now + openMs;
    // A time beyond the interval was stored before the clock was set back.
    return now < this.#openUntil && this.#openUntil <= now + openMs ? this.#openUntil : undefined;
  }

  /** Returns the accounts that may be blocked, out of some accounts. */
  blockedOf(accounts: Iterable<string>): Iterable<string> {
    const account = this.#blockedScope?.account;
    return account === undefined ? accounts : [account];
  }

  /** Records a request of an account. It is the probe if the breaker is open for this account. */
  recordSent(account: string): void {
    if (this.#blockedScope && (this.#blockedScope.account ?? account) === account)
      this.#isProbing = true;
  }

  /** Records a response with any status that shows that the host is up. */
  recordSuccess(name: string, account: string, now: number): void {
    this.#record(name, account, { failed: false, at: now });
    this.#blockedScope = undefined;
    this.#isProbing = false;
  }

  /** Records that a name got no response. */
  recordFailure(name: string, account: string, now: number): void {
    this.#record(name, account, { failed: true, at: now });
    this.#isProbing = false;
    this.#blockedScope = this.#evaluate(this.#blockedScope ? 1 : minFailures, now);
    if (this.#blockedScope) this.#openUntil = now + openMs;
  }

  #record(name: string, account: string, outcome: NameOutcome): void {
    const recent: RecentNames = this.#accounts.get(account) ?? new Map();
    setNewest(recent, name, outcome, maxNamesPerAccount);
    setNewest(this.#accounts, account, recent, maxAccounts);
  }

  #evaluate(requiredFailures: number, now: number): { readonly account?: string } | undefined {
    const failedNames = new Set<string>();
    const otherNames = new Set<string>();
    const activeAccounts = new Set<string>();
    const failingAccounts = new Set<string>();
    for (const [account, outcomes] of this.#accounts) {
      for (const [name, outcome] of outcomes) {
        if (!isRecent(outcome, now)) continue;
        activeAccounts.add(account);
        if (outcome.failed) failingAccounts.add(account);
        (outcome.failed ? failedNames : otherNames).add(name);
      }
    }

    const share = failedNames.size / (failedNames.size + otherNames.size);
    const [account] = failingAccounts;
    if (account === undefined || failedNames.size < requiredFailures || share < minFailedShare)
      return undefined;
    if (failingAccounts.size > 1) return {};

    return activeAccounts.size > 1 ? undefined : { account };
  }
}

function isRecent({ failed, at }: NameOutcome, now: number): boolean {
  return at <= now && now - at < (failed ? failureWindowMs : responseWindowMs);
}

const maxRetryShare = 0.1;
const minRetries = 3;
const windowSeconds = 60;

/**
 * Limits the retries of one host to a tenth of its requests in the last minute; three per minute
 * are always allowed.
 */
export class RetryBudget {
  readonly #requests = new SlidingWindowCounter();
  readonly #retries = new SlidingWindowCounter();

  /** Counts a request, including a retry. */
  recordSent(now: number): void {
    this.#requests.add(now);
  }

  /** Takes one retry. Returns false if the budget is exhausted. */
  takeRetry(now: number): boolean {
    if (this.#retries.count(now) >= Math.max(minRetries, this.#requests.count(now) * maxRetryShare))
      return false;
    this.#retries.add(now);
    return true;
  }
}

/** Counts the events of the last sixty seconds, in buckets of one second. */
class SlidingWindowCounter {
  readonly #bySecond = new Map<number, number>();

  add(now: number): void {
    const second = secondOf(now);
    const count = this.#bySecond.get(second);
    if (count === undefined) this.#dropExpired(now);
    this.#bySecond.set(second, (count ?? 0) + 1);
  }

  count(now: number): number {
    this.#dropExpired(now);
    return Array.from(this.#bySecond.values()).reduce((sum, count) => sum + count, 0);
  }

  #dropExpired(now: number): void {
    for (const second of this.#bySecond.keys())
      if (second <= secondOf(now) - windowSeconds) this.#bySecond.delete(second);
  }
}

const secondOf = (now: number) => Math.floor(now / 1000);
