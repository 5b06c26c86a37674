import type { Problem } from '../domain/problems.ts';
import type { LookupRequest } from '../domain/source.ts';
import type { SiteTarget } from './site-target.ts';
import type { TlsProfile } from './tls/tls-scan.ts';

/** Which site or page is read, and how. */
export interface SiteQuery {
  readonly target: SiteTarget;
  /** For `tls`. */
  readonly profile?: TlsProfile;
}

/** On whose behalf something is read. */
export interface SiteRequest extends Pick<LookupRequest, 'signal' | 'account' | 'queueDeadline'> {
  /** Called when the site is contacted; at once if a shared read has contacted it already. */
  readonly onSent?: (() => void) | undefined;
}

/**
 * Reads one kind of fact, without a cache. Rejects with a `Problem` if it cannot be read:
 * `site_unreachable`, `site_blocked`, `site_timeout`, `ct_unavailable` or `not_implemented`.
 */
export type ReadFact<T> = (query: SiteQuery, request: SiteRequest) => Promise<T>;

/** A fact that was read now or earlier, or the problem that prevented it. */
export type SiteAnswer<T> = {
  readonly cached: boolean;
  /** Epoch ms. */
  readonly checkedAt: number;
} & ({ readonly data: T; readonly freshUntil: number } | { readonly problem: Problem });

/**
 * Returns a copy of a request with other parts. Its queue deadline stays that of `request`, which
 * becomes later if a caller with more time joins the read.
 */
export function derivedRequest(
  request: SiteRequest,
  parts: Partial<Pick<SiteRequest, 'signal' | 'onSent'>>,
): SiteRequest {
  return {
    ...request,
    ...parts,
    get queueDeadline() {
      return request.queueDeadline;
    },
  };
}
