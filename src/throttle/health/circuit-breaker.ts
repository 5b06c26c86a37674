import type { DomainName } from '../../domain/domain-name.ts';

interface NameOutcome {
  readonly failed: boolean;
  /** Epoch ms. */
  readonly at: number;
}

/** The latest outcome of each of an account's most recent names, oldest first, and of the last one. */
interface RecentNames {
  readonly outcomes: Map<DomainName, NameOutcome>;
  last?: NameOutcome;
}

const minFailures = 10;
const minFailedShare = 0.8;
const openMs = 5000;
/** Failures may be timeouts, of which ten take long to collect. */
const failureWindowMs = 60_000;
/** A response proves only for a short time that the host is up. */
const responseWindowMs = 10_000;
/** So that no account counts for more than ten names, however many it sends. */
const maxNamesPerAccount = 10;
const maxAccounts = 32;

/**
 * Blocks requests to a host that does not respond. Opens when at least ten distinct recent names got no response, these are at least 80 % of
 * the recent names, and they come from more than one account where more than one uses the host. After five seconds one probe is let through.
 * If only one account uses the host, its failures block only this account, because the names themselves may be the cause.
 */
export class CircuitBreaker {
  readonly #accounts = new Map<string, RecentNames>();
  /** Whom it blocks while it is open: one account or all. */
  #blockedScope: { readonly account?: string } | undefined;
  #openUntil = -Infinity;
  #isProbing = false;

  /** Returns until when the requests of an account are blocked, in epoch ms; undefined if they are not, or if one may be sent as the probe. */
  blockedUntil(account: string, now: number): number | undefined {
    if (!this.#blockedScope || (this.#blockedScope.account ?? account) !== account)
      return undefined;
    const last = this.#accounts.get(account)?.last;
    const hasResponse = last && !last.failed && isRecent(last, now);
    return hasResponse ? undefined : this.openUntil(now);
  }

  /** Returns when it lets the next probe through, in epoch ms; undefined while it is closed or ready for a probe. */
  openUntil(now: number): number | undefined {
    if (!this.#blockedScope) return undefined;
    if (this.#isProbing) return now + openMs;
    // A later time was set before the clock was set back.
    return now < this.#openUntil && this.#openUntil <= now + openMs ? this.#openUntil : undefined;
  }

  /** Records that a request of an account is sent; it is the probe if the breaker is open for this account. */
  recordSent(account: string): void {
    if (this.#blockedScope && (this.#blockedScope.account ?? account) === account)
      this.#isProbing = true;
  }

  /** Records a response, of any status that shows that the host is up. */
  recordSuccess(name: DomainName, account: string, now: number): void {
    this.#record(name, account, { failed: false, at: now });
    this.#blockedScope = undefined;
    this.#isProbing = false;
  }

  /** Records that a name got no response. */
  recordFailure(name: DomainName, account: string, now: number): void {
    this.#record(name, account, { failed: true, at: now });
    this.#isProbing = false;
    this.#blockedScope = this.#evaluate(this.#blockedScope ? 1 : minFailures, now);
    if (this.#blockedScope) this.#openUntil = now + openMs;
  }

  #record(name: DomainName, account: string, outcome: NameOutcome): void {
    const recent: RecentNames = this.#accounts.get(account) ?? { outcomes: new Map() };
    recent.last = outcome;
    moveToEnd(recent.outcomes, name, outcome, maxNamesPerAccount);
    moveToEnd(this.#accounts, account, recent, maxAccounts);
  }

  #evaluate(requiredFailures: number, now: number): { readonly account?: string } | undefined {
    const failedNames = new Set<DomainName>();
    const otherNames = new Set<DomainName>();
    const activeAccounts = new Set<string>();
    const failingAccounts = new Set<string>();
    for (const [account, { outcomes }] of this.#accounts) {
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

/** Sets a key as the newest of a map and drops the oldest beyond `max`. */
function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  for (const oldest of map.keys()) return void map.delete(oldest);
}
