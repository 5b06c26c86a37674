import type { Clock } from '../clock.ts';
import type { Answer, AttemptRequest, LookupQuery, Source, SourceKind } from '../domain/source.ts';
import type { SourceReports } from './source-reports.ts';

/** A source that a registry runs. */
export interface RegistrySource {
  readonly kind: Exclude<SourceKind, 'dns'>;
  readonly source: Source;
  /** The source is known for false "not found" answers, so the DNS must confirm AVAILABLE. */
  readonly requiresDns: boolean;
  /** Its "not found" counts. */
  readonly trustsNotFound: boolean;
}

/** The answer of a registry, with the source that gave it. */
export interface RegistryAnswer {
  readonly answer: Answer;
  readonly requiresDns: boolean;
}

interface RegistrySourcesOptions {
  /** In order of preference; at least one. */
  readonly registries: readonly RegistrySource[];
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * Queries the sources of one registry in order until one decides. If more than a verdict is needed,
 * RDAP is queried first, because no other source has a record.
 */
export class RegistrySources {
  readonly #options: RegistrySourcesOptions;

  constructor(options: RegistrySourcesOptions) {
    this.#options = options;
  }

  /** Never rejects. All sources together have one time limit, counted from the first query. */
  async lookup(
    query: LookupQuery,
    request: AttemptRequest,
    reports: SourceReports,
  ): Promise<RegistryAnswer> {
    const { registries, timeoutMs, clock } = this.#options;
    const answers = new Map<RegistrySource, RegistryAnswer>();
    let sentAt: number | undefined;
    for (const registry of this.#inOrder(query)) {
      const responseDeadline = sentAt === undefined ? undefined : sentAt + timeoutMs;
      if (responseDeadline !== undefined && responseDeadline <= clock.now()) break;
      const answer = reports.record(
        registry.kind,
        await registry.source.lookup(
          query,
          responseDeadline === undefined
            ? request
            : { ...request, responseDeadline, queueDeadline: responseDeadline },
        ),
      );
      sentAt ??= answer.provenance.sentAt;
      answers.set(registry, { answer, requiresDns: registry.requiresDns });
      if (answer.result.registration || (registry === registries[0] && isFinal(answer))) break;
    }
    return bestOf(registries.flatMap((registry) => answers.get(registry) ?? []));
  }

  #inOrder({ detail }: LookupQuery): readonly RegistrySource[] {
    const { registries } = this.#options;
    if (detail === 'verdict') return registries;
    const { rdap = [], das = [] } = Object.groupBy(registries, ({ kind }) => kind);
    return [...rdap, ...das];
  }
}

/**
 * Returns the answer that decides: a registration, else the first verdict in order of preference,
 * else the first failure.
 */
function bestOf(answers: readonly RegistryAnswer[]): RegistryAnswer {
  const best =
    answers.find(({ answer }) => answer.result.registration) ??
    answers.find(({ answer }) => answer.result.verdict !== 'UNKNOWN') ??
    answers[0];
  if (!best) throw new Error('a registry without a source was queried');
  return best;
}

function isFinal({ result, provenance }: Answer): boolean {
  return result.verdict !== 'UNKNOWN' && provenance.mayBeRegistered !== true;
}
