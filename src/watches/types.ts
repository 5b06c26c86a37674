import type { Problem } from '../domain/problems.ts';
import type { ChangeType, Difference, Facts } from './observation.ts';

/** A name that an account watches, or an entry that it cannot watch. Times are in epoch ms. */
export interface Watch {
  /** The name in A-labels, or what was sent if it is not a name. */
  readonly domain: string;
  readonly label: string | null;
  /** When watching began; null if the name is not watched. */
  readonly startedAt: number | null;
  /**
   * Why the name is not watched, such as `invalid_name` or `unsupported_tld`, or why the watch pauses:
   * `insufficient_credits`. Null while it is watched.
   */
  readonly problem: Problem | null;
  /** What was last seen; null before the first verdict. */
  readonly facts: Facts | null;
  /** Since when the verdict and the phase have been seen. */
  readonly since: number | null;
  /** When there was last a verdict. */
  readonly checkedAt: number | null;
  /** The first look without a verdict since then; null if there is none. */
  readonly failingSince: number | null;
  readonly nextLookAt: number | null;
}

/** A change of a name, as it is in the log. Times are in epoch ms. */
export interface Change extends Difference {
  /** An opaque id, which is the cursor after this change, too. */
  readonly id: string;
  readonly domain: string;
  readonly type: ChangeType;
}

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly hasNext: boolean;
}

/** The account of a caller. Callers without a key share `sharedAccount`. */
export interface Watcher {
  readonly id: string;
  /** Whether its credits are counted. */
  readonly isMetered: boolean;
}

/** The account of all callers without a key, where none is needed. */
export const sharedAccount: Watcher = { id: 'shared', isMetered: false };

export interface ChangeFilter {
  /** The id of a change: only later ones. Without it, those since watching began. */
  readonly after?: string | undefined;
  readonly domain?: string | undefined;
  /** All types if there are none. */
  readonly types?: readonly ChangeType[] | undefined;
  /** Whether a page has the latest changes instead of the first ones. */
  readonly isLatest?: boolean;
}

/** An address that receives the changes of an account. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** The types that it receives; empty for all. */
  readonly types: readonly ChangeType[];
  /** The id of the last change that was delivered or skipped. */
  readonly cursor: string;
  /** The first failed delivery since the last successful one, in epoch ms. */
  readonly failingSince: number | null;
  /** Why the last delivery failed, as a sentence; null if it did not. */
  readonly lastProblem: string | null;
  /** It gets nothing until it is updated with `after`. */
  readonly isDisabled: boolean;
  readonly createdAt: number;
}

/** A webhook with its secret, which is returned only once. */
export interface CreatedWebhook extends Webhook {
  /** `whsec_` and 24 bytes in Base64 (Standard Webhooks 1.0). */
  readonly secret: string;
}

/** A webhook that one process may send a request to. */
export interface Claim {
  readonly webhook: Webhook;
  readonly account: string;
  /** Each signs the request: the current one, and for a day the one before. */
  readonly secrets: readonly string[];
  /** When the claim ends by itself, in epoch ms. */
  readonly claimedUntil: number;
}

/** A change that is due at a webhook, claimed for a minute. */
export interface Delivery extends Claim {
  readonly change: Change;
  /** The failed attempts at this change. */
  readonly attempts: number;
}
