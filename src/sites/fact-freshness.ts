import type { AgentSignals } from './agent-signals/agent-signals.ts';
import type { PageVisit } from './page/page-visit.ts';
import type { RobotsFile } from './robots/robots-file.ts';
import type { SiteFact, SiteFacts, SiteQuery } from './site-facts.ts';
import type { TlsScan } from './tls/tls-scan.ts';

const minuteMs = 60 * 1000;
const dayMs = 24 * 60 * minuteMs;

/** Returns the key of a fact in the cache. */
export function factKey(fact: SiteFact, { target, profile = 'standard' }: SiteQuery): string {
  const { host, url, isExact } = target;
  switch (fact) {
    // The signals include those that the page declares.
    case 'page':
    case 'agentSignals':
      return `${fact} ${isExact} ${url.href}`;
    case 'robots':
      return `robots ${isExact} ${url.origin}`;
    case 'tls':
      return `tls ${profile} ${host}`;
    default:
      return `${fact} ${host}`;
  }
}

/** Returns how long a fact is fresh if the caller sets no maximum age, in ms. */
export function freshMs<F extends SiteFact>(fact: F, data: SiteFacts[F]): number {
  return isTemporary(fact, data) ? minuteMs : dayMs;
}

/**
 * Returns the maximum age of a cached fact, in ms. A robots.txt is used for at most a day (RFC 9309
 * section 2.4).
 */
export function ageLimitMs<F extends SiteFact>(
  fact: F,
  data: SiteFacts[F],
  maxAge: number | undefined,
): number {
  if (maxAge === undefined) return freshMs(fact, data);
  const requested = maxAge * 1000;
  return fact === 'robots' || isTemporary(fact, data)
    ? Math.min(requested, freshMs(fact, data))
    : requested;
}

/** Returns whether a site failed, or a part of what was read of it, and may be readable soon. */
function isTemporary<F extends SiteFact>(fact: F, data: SiteFacts[F]): boolean {
  // The kind determines the type of the data.
  switch (fact) {
    case 'page':
      return (data as PageVisit).problem !== null;
    case 'robots':
      return (data as RobotsFile).access === 'disallow_all';
    case 'agentSignals':
      return isUnknown(data as AgentSignals);
    case 'tls':
      return hasFailedProbe(data as TlsScan);
    default:
      return false;
  }
}

function isUnknown({ outcome, signals }: AgentSignals): boolean {
  return outcome === 'unavailable' || signals.some(({ status }) => status === 'unknown');
}

function hasFailedProbe({ protocols, cipherCategories, supportsHttp2 }: TlsScan): boolean {
  const results = [...protocols, ...cipherCategories].map(({ isOffered }) => isOffered);
  return [...results, supportsHttp2].includes(null);
}
