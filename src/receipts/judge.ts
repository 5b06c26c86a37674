import type { Answer } from '../domain/answer.ts';
import type { SplitName } from '../domain/domain-name.ts';
import type { Policy } from '../domain/policy.ts';
import { conclusionOf } from '../lookup/conclusion.ts';
import { outcomeOfAnswer, withPolicy } from '../lookup/lookup-outcome.ts';
import type { Judgment } from './payload.ts';

/** Returns what follows from the answer to a lookup at a time, in epoch ms. */
export function judge(answer: Answer, name: SplitName, policy: Policy, now: number): Judgment {
  const outcome = withPolicy(outcomeOfAnswer(answer, 'verdict', 0, now), name, policy, now);
  const conclusion = conclusionOf(outcome);
  const { data, problem } = outcome;

  return {
    verdict: data?.toLowerCase() ?? 'unknown',
    rule: conclusion?.rule ?? problem?.code ?? '',
    certainty: certainties[conclusion?.word ?? 'UNKNOWN'],
    reason: problem ? { code: problem.code, detail: problem.message } : null,
    answers: (answer.provenance.evidence?.sources ?? []).map(({ source, answer: said }) => ({
      source,
      answer: said,
    })),
  };
}

const certainties = { PROVED: 'proved', LIKELY: 'likely', UNKNOWN: 'unknown' } as const;
