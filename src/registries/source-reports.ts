import {
  withProvenance,
  type Answer,
  type Attempt,
  type SourceKind,
  type SourceReport,
} from '../domain/answer.ts';

/** Collects what the sources of one name answered, and how long they took. */
export class SourceReports {
  readonly #reports: SourceReport[] = [];
  readonly #attempts: Attempt[] = [];

  /** Records an answer of a source, and returns it. */
  record(source: SourceKind, answer: Answer): Answer {
    const { data, problem, provenance } = answer;
    const { pattern, controlsPassedAt } = provenance.evidence ?? {};
    this.#reports.push({
      source,
      answer: provenance.delegation ?? problem?.code ?? data?.verdict.toLowerCase() ?? '',
      ...(pattern !== undefined && { pattern }),
      ...(controlsPassedAt !== undefined && { controlsPassedAt }),
    });
    this.#attempts.push(...provenance.attempts.map((attempt) => ({ ...attempt, source })));
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
