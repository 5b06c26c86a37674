import { redactKeys } from '../src/accounts/api-key.ts';
import { problems, retryAfterOf, type Problem, type ProblemCode } from '../src/domain/problems.ts';
import { builder } from './builder.ts';

type CodeValues = Readonly<Record<ProblemCode, { readonly description: string }>>;

const ProblemCodeType = builder.enumType('ProblemCode', {
  description:
    'Why something failed, spelled as in `reason` and in `extensions.code`. Only some of the codes can be the problem of a lookup. Values may ' +
    'be added: a client must expect one that it does not know.',
  values: Object.fromEntries(
    Object.entries(problems).map(([code, { title }]) => [code, { description: `${title}.` }]),
  ) as CodeValues,
});

/** What a client reads of a `Problem`. Not the `Problem` itself: graphql throws an `Error` that a resolver returns. */
export interface LookupProblem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly retryable: boolean;
  readonly retryAfter: number | undefined;
}

/** Returns what a client reads of a problem, if there is one. */
export function lookupProblem(problem: Problem | null): LookupProblem | null {
  if (!problem) return null;
  const { code, message } = problem;
  return {
    code,
    detail: redactKeys(message),
    retryable: problems[code].retryable,
    retryAfter: retryAfterOf(problem),
  };
}

export const LookupProblemType = builder.objectRef<LookupProblem>('LookupProblem').implement({
  description:
    'Why a lookup gave no verdict, or no record. It is data, not an error: the other rows of the operation are not affected.',
  fields: (t) => ({
    code: t.expose('code', {
      type: ProblemCodeType,
      description: 'The problem code, such as `registry_timeout`.',
    }),
    detail: t.exposeString('detail', { description: 'What happened, in a sentence.' }),
    retryable: t.exposeBoolean('retryable', { description: 'The same lookup may succeed later.' }),
    retryAfter: t.exposeInt('retryAfter', {
      nullable: true,
      description: 'Seconds after which a retry makes sense, where known.',
    }),
  }),
});
