import type { Problem } from '../domain/problems.ts';
import type { LookupRequest } from '../domain/source.ts';
import type { AgentSignals } from './agent-signals/agent-signals.ts';
import type { CertificateList } from './certificates/certificate-list.ts';
import type { DnsRecords, ForSale } from './dns/dns-records.ts';
import type { PageVisit } from './page/page-visit.ts';
import type { RobotsFile } from './robots/robots-file.ts';
import type { SiteTarget } from './site-target.ts';
import type { TlsProfile, TlsScan } from './tls/tls-scan.ts';

/**
 * What is read about a site. A fact is read and cached once; a site lookup is what callers select
 * and pay for, and takes its data from one or two facts.
 */
export interface SiteFacts {
  readonly robots: RobotsFile;
  readonly page: PageVisit;
  readonly tls: TlsScan;
  readonly agentSignals: AgentSignals;
  readonly dns: DnsRecords;
  readonly forSale: ForSale;
  /** Of the name and all names under it. */
  readonly certificates: CertificateList;
}
/** The name of a fact. */
export type SiteFact = keyof SiteFacts;

/** Which site or page is read, and how. */
export interface SiteQuery {
  readonly target: SiteTarget;
  /** For `tls`. */
  readonly profile?: TlsProfile;
}

/** On whose behalf something is read. */
export interface SiteRequest extends Pick<LookupRequest, 'signal' | 'account' | 'queueDeadline'> {
  /** Called when the site is contacted; at once if a shared read has contacted it already. */
  readonly onSent?: () => void;
}

/**
 * Reads one kind of fact, without a cache. Rejects with a `Problem` if it cannot be read:
 * `site_unreachable`, `site_blocked`, `site_timeout`, `ct_unavailable` or `not_implemented`.
 */
export type ReadFact<F extends SiteFact> = (
  query: SiteQuery,
  request: SiteRequest,
) => Promise<SiteFacts[F]>;

/** A fact that was read now or earlier, or the problem that prevented it. */
export type SiteAnswer<T> = {
  readonly cached: boolean;
  /** Epoch ms. */
  readonly checkedAt: number;
} & ({ readonly data: T; readonly freshUntil: number } | { readonly problem: Problem });

/** Reads facts about sites, with a cache that all operations share. */
export interface SiteReader {
  /**
   * Reads a fact. Rejects only if the gateway itself fails. `maxAge`: the maximum age of a cached
   * fact, in seconds; by default, the age for which it stays fresh.
   */
  read<F extends SiteFact>(
    fact: F,
    query: SiteQuery,
    maxAge: number | undefined,
    request: SiteRequest,
  ): Promise<SiteAnswer<SiteFacts[F]>>;
  /** Returns why this gateway reads no facts of a kind: `not_implemented`, by its settings. */
  refusalOf(fact: SiteFact, target: SiteTarget): Problem | undefined;
  /** Returns whether the sandbox serves a site, at no charge. */
  isSandbox(target: SiteTarget): boolean;
}

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
