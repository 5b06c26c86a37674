import type { Answer } from '../domain/answer.ts';
import type { SplitName } from '../domain/names/domain-name.ts';
import type { Policy } from '../domain/policy.ts';
import { conclusionOf } from '../lookup/conclusion.ts';
import { outcomeOfAnswer, withPolicy, type LookupOutcome } from '../lookup/lookup-outcome.ts';
import type { Judgment } from './payload.ts';

/** Returns the outcome of the answer to a lookup at a time, in epoch ms. */
export function outcomeOf(
  answer: Answer,
  name: SplitName,
  policy: Policy,
  now: number,
): LookupOutcome {
  return withPolicy(outcomeOfAnswer(answer, 'verdict', 0, now), name, policy, now);
}

/** Returns what follows from an outcome. */
export function judge(outcome: LookupOutcome): Judgment {
  const conclusion = conclusionOf(outcome);
  const { data, problem } = outcome;

  return {
    verdict: data?.toLowerCase() ?? 'unknown',
    rule: conclusion?.rule ?? problem?.code ?? '',
    certainty: certainties[conclusion?.word ?? 'UNKNOWN'],
    reason: problem ? { code: problem.code, detail: problem.message } : null,
    answers: (outcome.evidence?.response?.sources ?? []).map(({ source, answer: said }) => ({
      source,
      answer: said,
    })),
  };
}

const certainties = { PROVED: 'proved', LIKELY: 'likely', UNKNOWN: 'unknown' } as const;
