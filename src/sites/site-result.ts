import type { ObjectRef } from '@pothos/core';
import type { Context } from '../execution/context.ts';
import { Problem } from '../domain/problems.ts';
import { SiteLookups } from './site-lookups.ts';
import type { VisitProblem } from './page/page-visit.ts';
import type { Outcome } from '../domain/outcome.ts';
import { builder, type SchemaTypes } from '../schema/builder.ts';
import { problemField } from '../schema/problem.ts';

/** The description of the `maxAge` arguments of sites. */
export const siteMaxAgeDescription =
  'Maximum age of a cached result, in seconds; 0 reads the site again. By default, results stay fresh for at most a day.';

export const SiteResultType = builder.interfaceRef<Outcome<object>>('SiteResult').implement({
  fields: (t) => ({
    problem: t.field(problemField),
    cached: t.exposeBoolean('cached'),
    checkedAt: t.expose('checkedAt', { type: 'DateTime', nullable: true }),
    freshUntil: t.expose('freshUntil', { type: 'DateTime', nullable: true }),
    latencyMs: t.exposeFloat('latencyMs'),
  }),
});

export function sitesOf({ extensions }: Context): SiteLookups {
  const sites = extensions().find((lookups) => lookups instanceof SiteLookups);
  if (!sites) throw new Error('this gateway has no site lookups');
  return sites;
}

/** Returns a type of a document by its name. */
export function typeNamed<T = object>(name: string): ObjectRef<SchemaTypes, T> {
  return name as never;
}

export function resultType(name: string): ObjectRef<SchemaTypes, Outcome<object>> {
  return typeNamed(name);
}

/** Returns an outcome with the problem in its data, which says that the site could not be read. */
export function withProblemOfData<T extends { readonly problem: VisitProblem | null }>(
  outcome: Outcome<T>,
): Outcome<T> {
  const problem = outcome.data?.problem;
  return problem ? { ...outcome, problem: new Problem(problem.code, problem.detail) } : outcome;
}
