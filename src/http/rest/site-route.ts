import { maxAgeFrom } from '../messages/deprecations.ts';
import { ageOf, type AgeMembers } from '../messages/freshness.ts';
import { failureOf, type ProblemFields } from '../messages/lookup-problem.ts';
import { collectProblems } from '../messages/collect-problems.ts';
import {
  readMaxAgeParameter,
  readParameters,
  type QueryParameters,
} from '../messages/parameters.ts';
import { requestsSnakeCase } from './key-naming.ts';
import type { ParsedRestRequest, RestRoute } from './rest-route.ts';
import { siteOperations } from './site-operations.ts';
import { readTarget, type TargetParameters } from './site-parameters.ts';

/** The members of all results about sites, with the keys of REST. */
export interface SiteResult extends AgeMembers {
  readonly problem: ProblemFields | null;
  readonly latency_ms: number;
  /** Set for a page, also for one that could not be read: that is a result and no error. */
  readonly fetch_state?: string | null;
  /** Set for signals, also for those of a site that could not be read. */
  readonly outcome?: string | null;
}

type Variables = Readonly<Record<string, unknown>>;

/** How an endpoint reads its parameters and arranges its body. */
interface SiteEndpoint<R extends object> {
  readonly path: keyof typeof siteOperations;
  readonly target: TargetParameters;
  /** Reads further variables of the operation. Throws a problem that names the parameter. */
  readonly readVariables?: (parameters: QueryParameters) => Variables;
  /** Returns the members of the body that only this endpoint has. */
  readonly bodyOf: (result: R & SiteResult, domain: string, variables: Variables) => object;
}

/** Creates the route of an endpoint about sites. */
export function siteRoute<R extends object>(endpoint: SiteEndpoint<R>): RestRoute {
  const { path, target, readVariables = () => ({}) } = endpoint;
  return {
    path,
    method: 'GET',
    operation: siteOperations[path],
    responseMode: 'buffered',
    parse({ query, usedAliases, request }) {
      const parameters = readParameters(query);
      const { site, variables, maxAge, hasSnakeCaseKeys } = collectProblems({
        site: () => readTarget(parameters, target),
        variables: () => readVariables(parameters),
        maxAge: () => maxAgeFrom(readMaxAgeParameter(parameters.single('max_age')), usedAliases),
        hasSnakeCaseKeys: () => requestsSnakeCase(query, request.headers),
      });
      return {
        namesParam: 'domain',
        paramNames: { host: 'domain', first: 'limit', after: 'cursor' },
        variables: { ...site, ...variables, maxAge },
        hasSnakeCaseKeys,
        body: createBody(endpoint, variables),
      };
    },
  };
}

function createBody<R extends object>(
  { bodyOf }: SiteEndpoint<R>,
  variables: Variables,
): ParsedRestRequest['body'] {
  return (data) => {
    const { name, result } = (data as SiteData<R>).site;
    const { problem, cached, checked_at, latency_ms } = result;
    if (problem && !result.fetch_state && !result.outcome) throw failureOf(problem);
    return {
      outcomes: [ageOf(result, problem ? undefined : result, problem?.code)],
      body: {
        domain: name,
        ...bodyOf(result, name, variables),
        ...(problem && { problem: { code: problem.code, detail: problem.detail } }),
        checked_at,
        cached,
        latency_ms: Math.round(latency_ms),
      },
    };
  };
}

interface SiteData<R> {
  readonly site: { readonly name: string; readonly result: R & SiteResult };
}

/** Returns a result without the members that all results have. */
export function membersOf<R extends SiteResult>(result: R): Omit<R, keyof SiteResult> {
  const members = Object.entries(result).filter(([key]) => !sharedMembers.has(key));
  return Object.fromEntries(members) as Omit<R, keyof SiteResult>;
}

const sharedMembers = new Set([
  'problem',
  'cached',
  'checked_at',
  'fresh_until',
  'latency_ms',
  'fetch_state',
]);

/** Returns a GraphQL enum value in lower case, as REST writes it. */
export function lowerCase(value: string | null | undefined): string | null {
  return value?.toLowerCase() ?? null;
}
