import type { Answer } from '../domain/answer.ts';
import type { SplitName } from '../domain/domain-name.ts';
import type { Policy } from '../domain/policy.ts';
import { outcomeOfAnswer, withPolicy } from '../lookup/lookup-outcome.ts';
import type { Judgment } from './payload.ts';

/** The rules that decide, with what each concludes. */
export const rules = {
  registry: 'The registry states the status of the name itself.',
  registry_and_dns:
    'The registry does not find the name, its controls show that it finds others, and the servers of the parent zone have no delegation of it.',
  registry_alone:
    'The registry does not find the name, and its controls show that it finds others. The DNS was not queried, or gave no usable answer.',
  registry_unproven:
    'The registry does not find the name, but it has not found any other name that would show that it can.',
  delegation: 'The servers of the parent zone delegate the name, so it is registered.',
  policy:
    'The registry does not find the name, but it is known that nobody else can register it there.',
  contradicted:
    'The registry does not find the name, but the servers of the parent zone answer as if it existed.',
  unconfirmed:
    'The registry does not find the name, which counts only if the DNS confirms it, and the DNS did not.',
  not_delegated: 'Only the DNS is queried here, and the absence of a delegation proves nothing.',
  untrusted: 'The answer of the registry does not count.',
  no_answer: 'The registry gave no answer.',
} as const;
export type Rule = keyof typeof rules;

/** Returns what follows from the answer to a lookup at a time, in epoch ms. */
export function judge(answer: Answer, name: SplitName, policy: Policy, now: number): Judgment {
  const outcome = withPolicy(outcomeOfAnswer(answer, 'verdict', 0, now), name, policy, now);
  const { data, problem, confidence } = outcome;
  const rule = ruleOf(answer, data !== undefined && problem !== undefined);
  const isLikely = rule === 'registry_unproven' || confidence === 'HEURISTIC';

  return {
    verdict: data?.toLowerCase() ?? 'unknown',
    rule,
    certainty: data === undefined ? 'unknown' : isLikely ? 'likely' : 'proved',
    reason: problem ? { code: problem.code, detail: problem.message } : null,
    answers: (answer.provenance.evidence?.sources ?? []).map(({ source, answer: said }) => ({
      source,
      answer: said,
    })),
  };
}

function ruleOf({ data, problem, provenance }: Answer, isReserved: boolean): Rule {
  const { ruling, evidence } = provenance;
  if (isReserved) return 'policy';
  if (!data) {
    if (ruling === 'contradicted' || ruling === 'unconfirmed') return ruling;
    if (problem?.code === 'not_delegated') return 'not_delegated';
    const isUntrusted = problem?.code === 'untrusted_answer' || problem?.code === 'whois_unclear';
    return isUntrusted ? 'untrusted' : 'no_answer';
  }
  if (ruling === 'dns' || ruling === undefined) return 'delegation';
  if (data.verdict !== 'AVAILABLE') return 'registry';
  if (evidence?.unproven) return 'registry_unproven';
  const isConfirmed = evidence?.sources?.some((each) => each.answer === 'absent');
  return isConfirmed ? 'registry_and_dns' : 'registry_alone';
}
