import type { Clock } from '../clock.ts';
import type { SplitName } from '../domain/names/domain-name.ts';
import {
  type Answer,
  type SourceKind,
  withProvenance,
  type Attempt,
  type Provenance,
  type SourceReport,
} from '../domain/answer.ts';
import type { AttemptRequest, NameQuery, Source, SourceInfo } from '../domain/source.ts';

export interface RegistrySource {
  readonly kind: Exclude<SourceKind, 'dns'>;
  readonly source: Source;
  /** The source is known for false "not found" answers, so the DNS must confirm AVAILABLE. */
  readonly requiresDns: boolean;
  /** Whether a "not found" of the source counts. */
  readonly trustsNotFound: boolean;
  /** Returns whether it has the names of a suffix; by default, of all suffixes under the TLD. */
  readonly serves?: (suffix: string) => boolean;
  /** Returns the controls of its "available" for a name. */
  readonly controlsOf?: (name: SplitName) => SourceControls;
}

/** The controls of a source, whose "available" is a text. */
export interface SourceControls {
  /** Requires new controls, because the DNS contradicts an AVAILABLE of the source. */
  recordContradiction(): void;
  /**
   * Returns an AVAILABLE of the source without its verdict, unless controls pass until `deadline`
   * (epoch ms) that began after it was received. Never rejects.
   */
  recheck(answer: Answer, deadline: number): Promise<Answer>;
}

/** The answer of a registry, with the source that gave it. */
export interface RegistryAnswer {
  readonly answer: Answer;
  readonly registry: RegistrySource;
}

interface RegistryQuery {
  /** The sources, in order of preference; at least one. */
  readonly registries: readonly RegistrySource[];
  readonly query: NameQuery;
  readonly request: AttemptRequest;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * Queries the sources of one registry in order until one decides. If more than a verdict is needed,
 * RDAP is queried first, because no other source has complete records. All sources together have one
 * time limit, counted from the first query. Never rejects.
 */
export async function queryRegistry(
  { registries, query, request, timeoutMs, clock }: RegistryQuery,
  reports: SourceReports,
): Promise<RegistryAnswer> {
  const answers = new Map<RegistrySource, RegistryAnswer>();
  let sentAt: number | undefined;
  for (const registry of inOrder(registries, query)) {
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
    answers.set(registry, { answer, registry });
    if (answer.data?.registration || isDecided(registries, answers)) break;
  }

  return bestOf(registries.flatMap((registry) => answers.get(registry) ?? []));
}

function inOrder(
  registries: readonly RegistrySource[],
  { detail }: NameQuery,
): readonly RegistrySource[] {
  if (detail === 'verdict') return registries;
  const { rdap = [], das = [], whois = [] } = Object.groupBy(registries, ({ kind }) => kind);
  return [...rdap, ...das, ...whois];
}

/** Returns whether a source has decided, and all sources that precede it failed. */
function isDecided(
  registries: readonly RegistrySource[],
  answers: ReadonlyMap<RegistrySource, RegistryAnswer>,
): boolean {
  const decisive = registries.find((registry) => {
    const answered = answers.get(registry);
    return !answered || isFinal(answered.answer);
  });
  return decisive !== undefined && answers.has(decisive);
}

/**
 * Returns the answer that decides: a registration, else the first verdict in order of preference,
 * else the first failure.
 */
function bestOf(answers: readonly RegistryAnswer[]): RegistryAnswer {
  const best =
    answers.find(({ answer }) => answer.data?.registration) ??
    answers.find(({ answer }) => answer.data) ??
    answers[0];
  if (!best) throw new Error('a registry without a source was queried');
  return best;
}

function isFinal({ data, provenance }: Answer): boolean {
  return data !== undefined && provenance.mayBeRegistered !== true;
}

/** Describes the sources of a registry. `hasDns`: the DNS of its zones is queried too. */
export function sourceInfos(
  registries: readonly RegistrySource[],
  hasDns: boolean,
): readonly SourceInfo[] {
  return [
    ...registries.map(({ kind, source, requiresDns, trustsNotFound }) => ({
      kind,
      endpoint: source.id,
      provesAvailable: trustsNotFound && (hasDns || !requiresDns),
    })),
    ...(hasDns ? [{ kind: 'dns' as const, endpoint: null, provesAvailable: false }] : []),
  ];
}

/** Collects what the sources of one name answered, and how long they took. */
export class SourceReports {
  readonly #reports: SourceReport[] = [];
  readonly #attempts: Attempt[] = [];

  /** Records an answer of a source, and returns it. */
  record(source: SourceKind, answer: Answer): Answer {
    const { data, problem, provenance } = answer;
    const { endpoint, sentAt, attempts, delegation } = provenance;
    const { pattern, controlsPassedAt, httpStatus } = provenance.evidence ?? {};

    this.#reports.push({
      source,
      answer: delegation ?? problem?.code ?? data?.verdict.toLowerCase() ?? '',
      ...(pattern !== undefined && { pattern }),
      ...(controlsPassedAt !== undefined && { controlsPassedAt }),
      ...(endpoint !== undefined && { endpoint }),
      ...(sentAt !== undefined && { askedAt: sentAt, ...answerTimeOf(provenance, sentAt) }),
      ...(httpStatus !== undefined && { httpStatus }),
      ...(problem && !delegation && { detail: problem.message }),
    });
    this.#attempts.push(...attempts.map((attempt) => ({ ...attempt, source })));

    return answer;
  }

  /** Returns the final answer with everything recorded so far. */
  addTo(answer: Answer): Answer {
    const { evidence = { unproven: false } } = answer.provenance;
    return withProvenance(answer, {
      attempts: [...this.#attempts],
      evidence: { ...evidence, sources: [...this.#reports] },
    });
  }
}

/** Returns when a query ended that was sent then; empty if that was in an earlier lookup. */
function answerTimeOf(
  { checkedAt, attempts }: Provenance,
  sentAt: number,
): Pick<SourceReport, 'answeredAt'> {
  const exchange = attempts.findLast(({ phase }) => phase === 'exchange');
  if (checkedAt === undefined && !exchange) return {};
  // An intermediate cache may have held the response from before.
  const isOfQuery = checkedAt !== undefined && checkedAt >= sentAt;
  return { answeredAt: isOfQuery ? checkedAt : Math.round(sentAt + (exchange?.ms ?? 0)) };
}
