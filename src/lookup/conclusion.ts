import type { SourceReport } from '../domain/answer.ts';
import { problems, type ProblemCode } from '../domain/problems.ts';
import tables from '../domain/rules.json' with { type: 'json' };
import type { Verdict } from '../domain/verdict.ts';
import type { LookupOutcome } from './lookup-outcome.ts';

/** How certain a verdict is. */
export const conclusionWords = ['PROVED', 'LIKELY', 'UNKNOWN'] as const;
/** Whose word a verdict is: of the registry, of its zone, of what is known about the TLD, of nobody. */
export const authorities = ['REGISTRY', 'ZONE', 'POLICY', 'NONE'] as const;
/** The rules that decide, besides the codes of problems, which decide that there is no verdict. */
export type Rule = Exclude<keyof typeof tables.rules, 'no_verdict'> | ProblemCode;

/** Why the answers of the sources add up to a verdict, or to none. */
export interface Conclusion {
  readonly word: (typeof conclusionWords)[number];
  readonly rule: Rule;
  /** The rule in one sentence. */
  readonly sentence: string;
  readonly authority: (typeof authorities)[number];
  /** Whether it is the registry's word, in one sentence. */
  readonly authoritySentence: string;
  /** What would change the verdict, in one sentence or a few. */
  readonly wouldChange: string;
}

type Basis = Pick<LookupOutcome, 'data' | 'problem' | 'source'> & {
  /** The verdict is a "not found" of a server that has never found a name. */
  readonly unproven: boolean;
};

/** Returns the conclusion about a name; undefined while it is PENDING, or if no source was queried. */
export function conclusionOf(outcome: LookupOutcome): Conclusion | undefined {
  const { data: verdict, problem, evidence } = outcome;
  if (!evidence || (!verdict && !problem)) return undefined;

  const rule = ruleOf({ ...outcome, unproven: evidence.response?.unproven === true });
  const { word, authority, ...fixed } = tables.rules[rule] as {
    readonly sentence?: string;
  } & Pick<Conclusion, 'word' | 'authority'>;
  const code = problem?.code ?? 'registry_error';

  return {
    word,
    rule: rule === 'no_verdict' ? code : rule,
    sentence: fixed.sentence ?? problem?.message ?? '',
    authority,
    authoritySentence: tables.authorities[authority],
    wouldChange: verdict ? tables.changes[verdict] : problems[code].resolution.replaceAll('`', ''),
  };
}

function ruleOf({ data: verdict, problem, source, unproven }: Basis): keyof typeof tables.rules {
  if (!verdict) return 'no_verdict';
  if (verdict === 'RESERVED' && problem && problem.code !== 'no_rdap') return 'tld_policy';
  if (source === 'dns') return 'delegation';
  if (source === 'das') return 'registry_status';
  if (source === 'whois') return verdict === 'REGISTERED' ? 'whois_registration' : 'whois_text';
  if (unproven) return 'registry_not_found_unproven';

  return rdapRules[verdict] ?? 'registry_record';
}

const rdapRules: Readonly<Partial<Record<Verdict, keyof typeof tables.rules>>> = {
  AVAILABLE: 'registry_not_found',
  RESERVED: 'registry_reservation',
};

/** Returns what a source said, in one sentence without its period. */
export function statementOf({ answer, detail, httpStatus }: SourceReport): string {
  const statements: Readonly<Record<string, string>> = tables.statements;
  const titles: Readonly<Record<string, { readonly title: string }>> = problems;
  const said = detail?.replace(/\.$/, '') ?? statements[answer] ?? titles[answer]?.title ?? answer;
  return httpStatus === undefined ? said : `HTTP ${httpStatus}: ${said}`;
}
