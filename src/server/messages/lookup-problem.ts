import { Problem, type ProblemCode } from '../../domain/problems.ts';

/** Selects the problem of a lookup. */
export const problemSelection = 'problem { code detail retryable retryAfter }';

/** The selected fields of a problem. */
export interface ProblemFields {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly retryable: boolean;
  readonly retryAfter: number | null;
}

/**
 * Returns the problem of a lookup without an answer. `name` and `endpoint` identify the lookup at a
 * registry, which is then logged; `didYouMean` are the names that were probably meant.
 */
export function failureOf(
  problem: ProblemFields | null,
  name?: string,
  endpoint: string | null = null,
  didYouMean: readonly string[] = [],
): Problem {
  if (!problem) return new Problem('registry_error', 'The lookup has no answer.');

  const { code, detail, retryable, retryAfter } = problem;
  return new Problem(code, detail, {
    isPermanent: !retryable,
    didYouMean,
    retryAfter: retryAfter ?? undefined,
    ...(name !== undefined && { lookup: { name, host: endpoint && new URL(endpoint).host } }),
  });
}
