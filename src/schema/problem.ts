import { redactKeys } from '../accounts/api-key.ts';
import { problems, retryAfterOf, type Problem, type ProblemCode } from '../domain/problems.ts';
import { builder, objectType } from './builder.ts';

const ProblemCodeType = builder.enumType('ProblemCode', {
  values: Object.fromEntries(
    Object.entries(problems).map(([code, { title }]) => [code, { description: `${title}.` }]),
  ) as Readonly<Record<ProblemCode, { readonly description: string }>>,
});

/**
 * Returns the public part of a problem; null without one. Resolvers cannot return an `Error`, because
 * graphql-js throws it.
 */
export function lookupProblem(problem: Problem | null | undefined) {
  if (!problem) return null;
  const { code, message, retryable } = problem;
  return { code, detail: redactKeys(message), retryable, retryAfter: retryAfterOf(problem) };
}

export const LookupProblemType = objectType<NonNullable<ReturnType<typeof lookupProblem>>>(
  'LookupProblem',
  (t) => ({
    code: t.expose('code', { type: ProblemCodeType }),
    detail: t.exposeString('detail'),
    retryable: t.exposeBoolean('retryable'),
    retryAfter: t.exposeInt('retryAfter', { nullable: true }),
  }),
);

/** The options of a field with the problem of an object. */
export const problemField = {
  type: LookupProblemType,
  nullable: true,
  resolve: ({ problem }: { readonly problem?: Problem | null | undefined }) =>
    lookupProblem(problem),
} as const;
