import type { FieldMap, ObjectFieldsShape } from '@pothos/core';
import type { Context } from '../execution/context.ts';
import { Problem } from '../domain/problems.ts';
import { SiteLookups } from './site-lookups.ts';
import type { VisitProblem } from './page/page-visit.ts';
import type { Outcome } from '../domain/outcome.ts';
import { builder, type SchemaTypes } from '../schema/builder.ts';
import { counted } from '../schema/objects/object-row.ts';
import { lookupProblem, LookupProblemType } from '../schema/problem.ts';

/** The description of the `maxAge` arguments of sites. */
export const siteMaxAgeDescription =
  'Maximum age of a cached result, in seconds; 0 reads the site again. By default, results stay fresh for at most a day.';

export const SiteResultType = builder.interfaceRef<Outcome<unknown>>('SiteResult').implement({
  fields: (t) => ({
    problem: t.field({
      type: LookupProblemType,
      nullable: true,
      resolve: ({ problem }) => lookupProblem(problem),
    }),
    cached: t.exposeBoolean('cached'),
    checkedAt: t.expose('checkedAt', { type: 'DateTime', nullable: true }),
    freshUntil: t.expose('freshUntil', { type: 'DateTime', nullable: true }),
    latencyMs: t.exposeFloat('latencyMs'),
  }),
});

/** Returns the site lookups of an operation. */
export function sitesOf({ extensions }: Context): SiteLookups {
  const sites = extensions().find((lookups) => lookups instanceof SiteLookups);
  if (!sites) throw new Error('this gateway has no site lookups');
  return sites;
}

/**
 * Returns a function that returns the options of a field: one that has the member `key` of the data
 * of a result, and is null without data.
 */
export function fieldOf<T>() {
  return <K extends keyof T>(key: K) => {
    const resolve = ({ data }: Outcome<T>, _args: object, context: Context) =>
      counted(data?.[key] ?? null, context);
    return { nullable: true, resolve } as const;
  };
}

/** The data of the results that a function returns. */
export type DataOf<Read extends (...args: never[]) => Outcome<unknown>> =
  ReturnType<Read> extends Outcome<infer Data> ? Data : never;

/** Defines the type of a result. `fields` also gets `fieldOf` for its data. */
export function siteResult<T>(
  name: string,
  fields: (
    t: Parameters<ObjectFieldsShape<SchemaTypes, Outcome<T>>>[0],
    field: ReturnType<typeof fieldOf<T>>,
  ) => FieldMap,
) {
  return builder
    .objectRef<Outcome<T>>(name)
    .implement({ interfaces: [SiteResultType], fields: (t) => fields(t, fieldOf<T>()) });
}

/** Returns an outcome with the problem in its data, which says that the site could not be read. */
export function withProblemOfData<T extends { readonly problem: VisitProblem | null }>(
  outcome: Outcome<T>,
): Outcome<T> {
  const problem = outcome.data?.problem;
  return problem ? { ...outcome, problem: new Problem(problem.code, problem.detail) } : outcome;
}
