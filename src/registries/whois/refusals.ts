import type { ProblemCode } from '../../domain/problems.ts';
import table from './refusals.json' with { type: 'json' };

/** Why a server refused a query. */
export interface Refusal {
  readonly code: Extract<ProblemCode, 'registry_busy' | 'registry_error'>;
  readonly text: string;
  /** `refused`: the operator limits or blocks queries. `failed`: the server has an outage. */
  readonly kind: 'refused' | 'failed';
}

interface Row extends Refusal {
  readonly patterns: readonly string[];
}

/**
 * Refusals of many servers. They are recognized before everything else, because some of them also
 * contain a "not found". Without an anchor, a pattern matches a sentence that is specific enough:
 * none of them matches a captured reply with a verdict.
 */
const rows = table as Readonly<Record<keyof typeof table, Row>>;

export const { limited }: Readonly<Record<'limited', Refusal>> = rows;

const patterns = Object.values(rows).flatMap(({ patterns: sources, ...refusal }) =>
  sources.map((source) => [new RegExp(source, 'im'), refusal] as const),
);

/** Returns the refusal in a reply, with the pattern that it matches. */
export function findRefusal(
  text: string,
): { readonly refusal: Refusal; readonly pattern: string } | undefined {
  const index = patterns.findIndex(([regExp]) => regExp.test(text));
  const refusal = patterns[index]?.[1];
  return refusal && { refusal, pattern: `refusal-${index + 1}` };
}
