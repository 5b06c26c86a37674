import { toSnakeCaseKeys } from '../api/rest/key-naming.ts';
import type { Evidence } from '../domain/answer.ts';
import type { Facts } from './observation.ts';
import type { Change, Watch, Webhook } from './types.ts';

/** Returns a watch as it is sent. */
export function watchBody({ facts, problem, ...watch }: Watch): object {
  return {
    domain: watch.domain,
    label: watch.label,
    started_at: timeOf(watch.startedAt),
    problem: problem && { code: problem.code, detail: problem.message },
    available: facts?.verdict ? facts.verdict === 'AVAILABLE' : null,
    status: facts?.verdict?.toLowerCase() ?? null,
    phase: facts?.phase?.toLowerCase() ?? null,
    expires_at: facts?.expiresAt ?? null,
    since: timeOf(watch.since),
    checked_at: timeOf(watch.checkedAt),
    failing_since: timeOf(watch.failingSince),
    next_look_at: timeOf(watch.nextLookAt),
  };
}

/** Returns a change as it is sent. */
export function changeBody(change: Change): object {
  return { id: change.id, ...differenceBody(change) };
}

/** Returns a difference like a change, without an id. */
export function differenceBody(change: Omit<Change, 'id'>): object {
  return {
    type: change.type.toLowerCase(),
    domain: change.domain,
    not_before: timeOf(change.notBefore),
    seen_at: timeOf(change.seenAt),
    before: factsBody(change.before),
    after: factsBody(change.after),
    evidence: change.evidence && evidenceBody(change.evidence),
  };
}

/** Returns a webhook as it is sent. */
export function webhookBody({ isDisabled, types, ...webhook }: Webhook): object {
  return {
    id: webhook.id,
    url: webhook.url,
    types: types.map((type) => type.toLowerCase()),
    cursor: webhook.cursor,
    failing_since: timeOf(webhook.failingSince),
    last_problem: webhook.lastProblem,
    disabled: isDisabled,
    created_at: timeOf(webhook.createdAt),
  };
}

/** Returns a feed as it is listed. */
export function feedBody({ id, createdAt }: { id: string; createdAt: number }): object {
  return { id, created_at: timeOf(createdAt) };
}

function evidenceBody({ httpStatus, mediaType, unproven, text, sources = [] }: Evidence): object {
  return {
    http_status: httpStatus ?? null,
    media_type: mediaType ?? null,
    unproven,
    text: text ?? null,
    sources: sources.map(({ source, answer, pattern, controlsPassedAt }) => ({
      source,
      answer,
      pattern: pattern ?? null,
      controls_passed_at: timeOf(controlsPassedAt ?? null),
    })),
  };
}

/** Returns what differs, with the keys and values that REST, webhooks and MCP send. */
export function factsBody({ verdict, phase, ...facts }: Facts): unknown {
  return toSnakeCaseKeys({
    ...(verdict && { verdict: verdict.toLowerCase() }),
    ...(phase !== undefined && { phase: phase?.toLowerCase() ?? null }),
    ...facts,
  });
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
