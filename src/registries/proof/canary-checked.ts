import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import {
  withoutData,
  sourceKindOf,
  withProvenance,
  type Answer,
  type StoredAnswer,
} from '../../domain/answer.ts';
import type { DomainName, SplitName } from '../../domain/names/domain-name.ts';
import { Problem } from '../../domain/problems.ts';
import type { AttemptRequest, NameQuery, Source } from '../../domain/source.ts';
import { atMost } from '../../shared/lru.ts';
import type { ServerTrust } from '../../domain/catalogue.ts';
import type { CanaryMonitor, CanaryResult } from './canary-monitor.ts';
import { lookUpToCheck } from './monitor.ts';

interface CanaryCheckOptions {
  readonly monitorOf: (name: SplitName) => CanaryMonitor;
  readonly missingNames: MissingNames;
  /**
   * Returns whether an unregistered name would be available. Under a brand TLD, it is RESERVED, so no
   * canary is looked up for it.
   */
  readonly mayBeAvailable: (name: SplitName) => boolean;
  /** Returns whether the registry sells names under the suffix of a name. */
  readonly sellsSuffixOf: (name: SplitName) => boolean;
  /** A 404 counts only if the server has found a name of the TLD. */
  readonly requiresCanary: boolean;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const unsoldDetail =
  'The registry sent the status "free", which is not trusted from this server for this suffix.';
const dayMs = 24 * 60 * 60 * 1000;
/** A registration that expires within this time may be deleted any day. */
const expiringSoonMs = 28 * dayMs;
/** After redemption, a name is pending deletion for five more days (RFC 3915). */
const pendingDeleteMs = 5 * dayMs;

/**
 * Accepts a server's 404 as AVAILABLE only while the server finds its canaries, which are names
 * that it must hold. A 404 that contradicts a stored answer triggers a check immediately. One that
 * contradicts a registration with weeks until its expiry is not used until it has persisted for a
 * day, because a registry that has lost part of its data may still find its canaries. Use it around
 * the throttled server, inside retries and the cache.
 */
export function canaryCheckedSource(server: Source, options: CanaryCheckOptions): Source {
  return {
    id: server.id,
    async lookup(query, request) {
      const { name } = query;
      if (request.isProbablyFree && options.mayBeAvailable(name))
        void options.monitorOf(name).verify(undefined, { name: name.ascii });

      const answer = await server.lookup(query, request);
      const { data, provenance } = answer;
      if (provenance.fromOtherHost) return answer;

      if (data?.registration) {
        options.monitorOf(name).recordFound(name.ascii);
        options.missingNames.delete(name.ascii);
        return answer;
      }

      if (data?.verdict !== 'AVAILABLE' || provenance.notFoundEvidence === undefined) return answer;
      return options.sellsSuffixOf(name)
        ? verifyNotFound(answer, query, request, options)
        : untrustedAnswer(answer, unsoldDetail);
    },
  };
}

/**
 * Rejects the AVAILABLE of a source in another protocol, which also may have lost a part of its data,
 * for a name whose registration is known to last for weeks, until it has persisted for a day.
 */
export function withPatience(source: Source, missingNames: MissingNames, clock: Clock): Source {
  return {
    id: source.id,
    async lookup(query, request) {
      const answer = await source.lookup(query, request);
      const { cached, name } = query;
      if (answer.data?.verdict !== 'AVAILABLE') {
        if (answer.data) missingNames.delete(name.ascii);
        return answer;
      }

      const now = clock.now();
      return cached?.expiresAt === undefined ||
        mayBeDeleted(cached, now) ||
        missingNames.record(name.ascii, now)
        ? answer
        : untrustedAnswer(answer, contradictionDetail(cached));
    },
  };
}

export async function lookUpCanary(
  server: Source,
  canary: DomainName,
  queueDeadline: number,
): Promise<CanaryResult> {
  const { data, provenance } = await lookUpToCheck(server, canary, queueDeadline);
  const { notFoundEvidence, sentAt, fromOtherHost } = provenance;
  if (data?.registration && !fromOtherHost) return 'found';
  if (sentAt === undefined) return 'notSent';
  return notFoundEvidence === undefined || fromOtherHost ? 'failed' : 'notFound';
}

async function verifyNotFound(
  answer: Answer,
  query: NameQuery,
  request: AttemptRequest,
  options: CanaryCheckOptions,
): Promise<Answer> {
  const { monitorOf, missingNames, mayBeAvailable } = options;
  const { cached } = query;
  const name = query.name.ascii;
  const now = options.clock.now();
  const monitor = monitorOf(query.name);
  const isImplausible = cached !== undefined && !mayBeDeleted(cached, now);

  // The canaries were checked when the name was first missing.
  const wasChecked = isImplausible && missingNames.has(name) && monitor.trust !== 'failing';
  if (wasChecked && !missingNames.record(name, now))
    return untrustedAnswer(answer, contradictionDetail(cached));

  const isContradiction =
    monitor.canaries.includes(name) || (cached !== undefined && cached.verdict !== 'AVAILABLE');
  const requiresCanary = isContradiction || options.requiresCanary;
  if (monitor.trust === 'unproven' && !requiresCanary && !mayBeAvailable(query.name))
    return unprovenAnswer(answer, false);

  const { sentAt = now, checkedAt = now, attempts, evidence } = answer.provenance;
  const received = monitor.count();
  const check = monitor.verify(received, { name, mustFollow: isContradiction });
  const deadline = request.responseDeadline ?? sentAt + options.timeoutMs;
  const checks = check ? await monitor.waitFor(check, deadline) : [];

  const trust = trustIn(monitor, checkedAt, received, isContradiction);
  const code = attemptCodes[trust];
  const checked = withProvenance(answer, {
    attempts: [...attempts, ...checks.map((attempt) => ({ ...attempt, code }))],
    ...(trust === 'proven' && {
      evidence: { unproven: false, ...evidence, controlsPassedAt: monitor.confirmedAt },
    }),
  });

  const detail = untrustedDetails[trust];
  if (detail !== undefined) return untrustedAnswer(checked, detail);
  if (isImplausible && !missingNames.record(name, now))
    return untrustedAnswer(checked, contradictionDetail(cached));

  return trust === 'proven' ? checked : unprovenAnswer(checked, requiresCanary);
}

const untrustedDetails: Readonly<Partial<Record<ServerTrust['trust'], string>>> = {
  failing: 'The registry does not find names that it must hold, so its 404 is not trusted.',
  unconfirmed:
    'The 404 could not be verified: the check whether the registry finds names that it must hold failed.',
};

/** Returns the answer of a server that has not found any name yet. */
function unprovenAnswer(answer: Answer, requiresCanary: boolean): Answer {
  const { notFoundEvidence, evidence } = answer.provenance;
  if (notFoundEvidence === 'empty' || requiresCanary)
    return untrustedAnswer(
      answer,
      'The registry has not yet found any name, so its 404 is not trusted.',
    );
  return evidence ? withProvenance(answer, { evidence: { ...evidence, unproven: true } }) : answer;
}

/** Returns the trust in the 404 with this number, received at `checkedAt`. */
function trustIn(
  monitor: CanaryMonitor,
  checkedAt: number,
  received: number,
  mustFollow: boolean,
): ServerTrust['trust'] {
  if (!monitor.trusts(checkedAt)) return 'failing';
  if (!monitor.hasProof) return 'unproven';
  return monitor.verifies(received, mustFollow) ? 'proven' : 'unconfirmed';
}

function contradictionDetail({ expiresAt }: StoredAnswer): string {
  const until = expiresAt === undefined ? '' : ` until ${new Date(expiresAt).toISOString()}`;
  return `The registry no longer finds a name that it previously reported as registered${until}. This is trusted once it has persisted for a day.`;
}

const attemptCodes = {
  proven: 'found',
  unproven: 'not_found',
  unconfirmed: 'inconclusive',
  failing: 'not_found',
} as const;

/**
 * Returns whether a name with this cached answer may have been deleted since. A delegation does not
 * show when the registration ends, unless the registry reported it before.
 */
function mayBeDeleted(
  { verdict, checkedAt, endpoint, expiresAt }: StoredAnswer,
  now: number,
): boolean {
  if (verdict === 'REDEMPTION') return now - checkedAt >= pendingDeleteMs;
  if (verdict === 'AVAILABLE' || verdict === 'PENDING_DELETE') return true;
  return expiresAt === undefined
    ? sourceKindOf(endpoint) === 'dns'
    : expiresAt - now < expiringSoonMs;
}

function untrustedAnswer(answer: Answer, detail: string): Answer {
  return withoutData(answer, new Problem('untrusted_answer', detail));
}

const maxNames = 10_000;
const maxGapMs = 6 * 60 * 60 * 1000;

/** Tracks since when registries have returned 404 for names that should be registered. */
export class MissingNames {
  /** The times of the first and the latest 404 of each name, in epoch ms. */
  readonly #names = new LRUCache<DomainName, { readonly since: number; readonly latest: number }>(
    atMost(maxNames),
  );

  has(name: DomainName): boolean {
    return this.#names.has(name);
  }

  /**
   * Records a 404, and returns whether the name has been missing for a day. Two 404s that are more
   * than six hours apart may belong to different outages and do not count as one.
   */
  record(name: DomainName, now: number): boolean {
    const previous = this.#names.get(name);
    const since = previous && now - previous.latest <= maxGapMs ? previous.since : now;
    this.#names.set(name, { since, latest: now });
    return now - since >= dayMs;
  }

  /** Removes a name that was found. */
  delete(name: DomainName): void {
    this.#names.delete(name);
  }
}
