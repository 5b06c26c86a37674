import { LRUCache } from 'lru-cache';
import { atMostFor } from '../shared/lru.ts';
import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/names/domain-name.ts';
import { failedAnswer, type Answer, type Evidence, type Provenance } from '../domain/answer.ts';
import type { Source } from '../domain/source.ts';
import { Problem, type ProblemCode } from '../domain/problems.ts';

/** A failed lookup, without the error's stack and cause. */
type FailedLookup = Pick<Provenance, 'endpoint' | 'evidence' | 'failure'> & {
  readonly sentAt: number;
  readonly code: ProblemCode;
  readonly detail: string;
};

const retentionMs = 5000;
/** Keeps entries small: the registry chooses the media type. */
const maxMediaTypeLength = 255;
const maxNames = 10_000;

/**
 * Stores the lookups that failed at their registry in the last five seconds, so that their names
 * are not sent again immediately. One instance serves all registries. An entry takes about half a
 * kilobyte.
 */
export class FailedNames {
  readonly #names: LRUCache<DomainName, FailedLookup>;

  constructor(clock: Clock) {
    this.#names = new LRUCache(atMostFor(maxNames, retentionMs, clock));
  }

  /** Returns the failed answer for a name whose lookup failed in the last five seconds. */
  get(name: DomainName): Answer | undefined {
    const failed = this.#names.get(name);
    if (!failed) return undefined;
    const { code, detail, ...provenance } = failed;
    return failedAnswer(new Problem(code, detail), provenance);
  }

  /** Stores the answer if the lookup was sent and has a `failure` other than `busy`. */
  record(name: DomainName, { problem, provenance }: Answer): void {
    const { failure, sentAt, endpoint, evidence } = provenance;
    if (!problem || !failure || failure === 'busy' || sentAt === undefined) return;

    const optionalFields = {
      ...(endpoint !== undefined && { endpoint }),
      ...(isSmall(evidence) && { evidence }),
    };

    this.#names.set(name, {
      ...optionalFields,
      failure,
      sentAt,
      code: problem.code,
      detail: problem.message,
    });
  }
}

function isSmall(evidence: Provenance['evidence']): evidence is Evidence {
  return evidence !== undefined && (evidence.mediaType?.length ?? 0) <= maxMediaTypeLength;
}

/**
 * Returns the stored failure for names whose lookup failed in the last five seconds, and queries
 * `source` for all others. Use it around the retries, so that both attempts count as one failure,
 * and not for canary lookups, which must reach the registry.
 */
export function withoutFailedNames(source: Source, failedNames: FailedNames): Source {
  return {
    id: source.id,
    async lookup(query, request) {
      const failed = failedNames.get(query.name.ascii);
      if (failed) return failed;
      const answer = await source.lookup(query, request);
      failedNames.record(query.name.ascii, answer);
      return answer;
    },
  };
}
