import type { Clock } from '../../clock.ts';
import type { DomainName } from '../../domain/domain-name.ts';
import {
  canaryAccount,
  failedAnswer,
  withProvenance,
  type Answer,
  type Attempt,
  type AttemptRequest,
  type CachedAnswer,
  type LookupQuery,
  type LookupRequest,
  type Source,
} from '../../domain/source.ts';
import { Problem } from '../../domain/problems.ts';
import type { CanaryMonitor, CanaryResult, NotFoundTrust } from './canary-monitor.ts';
import type { MissingNames } from './missing-names.ts';

interface CanaryCheckOptions {
  readonly monitorOf: (name: DomainName) => CanaryMonitor;
  readonly missingNames: MissingNames;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const dayMs = 24 * 60 * 60 * 1000;
/** A registration that ends this soon may be deleted any day. */
const expiringSoonMs = 28 * dayMs;
/** A name in redemption is pending deletion for five days more (RFC 3915). */
const pendingDeleteMs = 5 * dayMs;

/**
 * Returns a server's 404 as AVAILABLE only while the server finds the names that it must hold. A 404 that contradicts a stored answer is
 * checked at once. One that contradicts a registration with weeks to run is not used before it has persisted for a day, as a registry that
 * lost a part of its data still finds its canaries. Use it around the throttled server, inside retries and the cache.
 */
export function canaryCheckedSource(server: Source, options: CanaryCheckOptions): Source {
  return {
    id: server.id,
    async lookup(query, request) {
      const answer = await server.lookup(query, request);
      const { result, provenance } = answer;
      const { name } = query;
      if (provenance.fromOtherHost) return answer;
      if (result.registration) {
        options.monitorOf(name).recordFound(name);
        options.missingNames.delete(name);
        return answer;
      }
      return result.verdict === 'AVAILABLE' && provenance.notFoundEvidence !== undefined
        ? verifyNotFound(answer, query, request, options)
        : answer;
    },
  };
}

/** Looks a canary up at a server: urgent, and on no caller's account, so that no caller pays for it or takes it along when it disconnects. */
export async function lookUpCanary(
  server: Source,
  canary: DomainName,
  queueDeadline: number,
): Promise<CanaryResult> {
  const request: LookupRequest = {
    signal: new AbortController().signal,
    account: canaryAccount,
    priority: 'single',
    queueDeadline,
  };
  const { result, provenance } = await server.lookup({ name: canary, detail: 'verdict' }, request);
  const { notFoundEvidence, sentAt, fromOtherHost } = provenance;
  if (result.registration && !fromOtherHost) return 'found';
  if (sentAt === undefined) return 'notSent';
  return notFoundEvidence === undefined || fromOtherHost ? 'failed' : 'notFound';
}

async function verifyNotFound(
  answer: Answer,
  { name, cached }: LookupQuery,
  request: AttemptRequest,
  options: CanaryCheckOptions,
): Promise<Answer> {
  const { monitorOf, missingNames, clock } = options;
  const { checkedAt, notFoundEvidence, evidence, attempts } = answer.provenance;
  const monitor = monitorOf(name);
  const startedAt = clock.now();
  const isImplausible = cached !== undefined && !mayBeDeleted(cached, startedAt);
  // That it is missing was checked when it was first missed.
  if (
    isImplausible &&
    missingNames.has(name) &&
    monitor.trust !== 'failing' &&
    !missingNames.record(name, startedAt)
  ) {
    return untrustedAnswer(answer, contradictionDetail(cached));
  }
  const isContradiction =
    monitor.canaries.includes(name) || (cached !== undefined && cached.verdict !== 'AVAILABLE');
  const check =
    isContradiction && monitor.trust !== 'failing'
      ? monitor.checkContradiction(name)
      : monitor.checkNotFound(name);
  const wasChecked =
    typeof check === 'boolean' ? check : await waitForCheck(check, answer, request, options);
  const trust = trustAt(monitor, checkedAt ?? startedAt, isContradiction ? startedAt : 0);
  const attempt: Attempt = {
    phase: 'canary',
    ms: clock.now() - startedAt,
    code: attemptCodes[trust],
  };
  const checked = wasChecked
    ? withProvenance(answer, { attempts: [...attempts, attempt] })
    : answer;
  if (trust === 'failing')
    return untrustedAnswer(
      checked,
      'The registry did not find names that it must hold, so its 404 proves nothing.',
    );
  if (trust === 'unconfirmed')
    return untrustedAnswer(
      checked,
      'It could not be checked whether the registry finds the names that it must hold.',
    );
  if (isImplausible && !missingNames.record(name, startedAt))
    return untrustedAnswer(checked, contradictionDetail(cached));
  if (trust === 'proven') return checked;
  if (notFoundEvidence === 'empty' || isContradiction)
    return untrustedAnswer(
      checked,
      'The registry has not been seen to find any name, and its 404 is not enough.',
    );
  return evidence
    ? withProvenance(checked, { evidence: { ...evidence, unproven: true } })
    : checked;
}

/** The trust in a 404 of that moment, where a canary must have been found since. */
function trustAt(monitor: CanaryMonitor, checkedAt: number, foundSince: number): NotFoundTrust {
  if (!monitor.trusts(checkedAt)) return 'failing';
  return monitor.trust === 'proven' && monitor.foundAt < foundSince ? 'unconfirmed' : monitor.trust;
}

function contradictionDetail(held: CachedAnswer): string {
  const until =
    held.expiresAt === undefined ? '' : ` until ${new Date(held.expiresAt).toISOString()}`;
  return `The registry returned 404 for a name that it held as registered${until}. The 404 counts once it has persisted for a day.`;
}

const attemptCodes = {
  proven: 'found',
  unproven: 'not_found',
  unconfirmed: 'inconclusive',
  failing: 'not_found',
} as const;

/** Waits for the check no longer than the caller can wait for its answer. Resolves to whether there was one. */
async function waitForCheck(
  check: Promise<boolean>,
  answer: Answer,
  request: AttemptRequest,
  { timeoutMs, clock }: CanaryCheckOptions,
): Promise<boolean> {
  const responseDeadline =
    request.responseDeadline ?? (answer.provenance.sentAt ?? clock.now()) + timeoutMs;
  const timeout = Promise.withResolvers<boolean>();
  const cancelTimer = clock.after(Math.max(responseDeadline - clock.now(), 0), () =>
    timeout.resolve(true),
  );
  const wasChecked = await Promise.race([check, timeout.promise]);
  cancelTimer();
  return wasChecked;
}

/** Whether a name that was held like this may have been deleted since. */
function mayBeDeleted(
  { verdict, checkedAt, expiresAt = Infinity }: CachedAnswer,
  now: number,
): boolean {
  if (verdict === 'REDEMPTION') return now - checkedAt >= pendingDeleteMs;
  return (
    verdict === 'AVAILABLE' || verdict === 'PENDING_DELETE' || expiresAt - now < expiringSoonMs
  );
}

function untrustedAnswer({ provenance }: Answer, detail: string): Answer {
  const { checkedAt: _checkedAt, notFoundEvidence: _notFoundEvidence, ...rest } = provenance;
  return failedAnswer(new Problem('untrusted_answer', detail), rest);
}
