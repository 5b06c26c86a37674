import type { ProblemCode } from '../domain/problems.ts';
import type { SiteLookup } from './site-lookup.ts';
import { ageOf, type AgeMembers } from '../server/messages/freshness.ts';
import {
  failureOf,
  problemSelection,
  type ProblemFields,
} from '../server/messages/lookup-problem.ts';
import {
  endpoint,
  parameterProblems,
  type Definition,
  type Endpoint,
  type ParsedRestRequest,
} from '../api/rest/endpoint.ts';
import { readRequest } from '../api/rest/key-naming.ts';
import type { FieldParameter } from '../api/rest/parameters.ts';
import {
  readTarget,
  rejectUnsupported,
  siteMaxAge,
  targets,
  type UnsupportedParameter,
} from './site-parameters.ts';
import * as shape from '../api/rest/shape.ts';
import type { JsonSchema, Members, Properties, ShapeSource } from '../api/rest/shape.ts';

/** The members of all results about sites, with the keys of REST. */
interface SiteResult extends AgeMembers {
  readonly problem: ProblemFields | null;
  readonly latency_ms: number;
  /** Set for a page, also for one that could not be read: that is a result and no error. */
  readonly fetch_state?: string | null;
  /** Set for signals, also for those of a site that could not be read. */
  readonly outcome?: string | null;
}

type Variables = Readonly<Record<string, unknown>>;

/** What a body is made from: the result, the host name, and the variables of the operation. */
type SiteData<R> = R & SiteResult & { readonly domain: string; readonly variables: Variables };

interface SiteEndpoint<R extends object> extends Pick<
  Definition,
  'summary' | 'description' | 'example' | 'aliases'
> {
  readonly lookup: SiteLookup;
  readonly target?: keyof typeof targets;
  /** The parameters that only this endpoint has, by the argument of the field. */
  readonly parameters?: Readonly<Record<string, FieldParameter>>;
  /** Parameters of the public API that are rejected, by their name. */
  readonly unsupported?: Readonly<Record<string, UnsupportedParameter>>;
  readonly problems?: readonly ProblemCode[];
  /** Selects the fields of the result, with the keys of the body. */
  readonly selection: string;
  readonly name: string;
  /** Members of the body beside those that all bodies have. */
  readonly members?: Members<SiteData<R>>;
  /** The body also has all members of the result that `members` does not replace. */
  readonly keepsResult?: boolean;
}

/** The problems of a site that could not be read. */
export const readProblems = ['site_unreachable', 'site_blocked', 'site_timeout'] as const;

export const unreadable =
  'If the page cannot be read (`blocked` or `http_error`), the response is a 200 with this `fetch_state`, and nothing is charged.';

/** Declares an endpoint that returns the result of a site lookup. */
export function siteEndpoint<R extends object = object>(
  path: Endpoint['path'],
  definition: SiteEndpoint<R>,
): Endpoint {
  const {
    lookup,
    target = 'domain',
    parameters = {},
    unsupported = {},
    problems = [],
  } = definition;
  const { price } = lookup;

  return endpoint(`GET ${path}`, {
    tag: 'Sites',
    summary: definition.summary,
    description: `${definition.description} ${price} credit${price === 1 ? '' : 's'}.`,
    example: definition.example ?? 'domain=taken.test',
    success: 'The result.',
    aliases: definition.aliases ?? {},
    parameters: {
      ...targets[target],
      ...Object.assign({}, ...Object.values(parameters).map((each) => each.description)),
      ...siteMaxAge,
    },
    problems: [
      ...parameterProblems,
      'insufficient_credits',
      'invalid_name',
      'invalid_max_age',
      'not_implemented',
      ...problems,
    ],
    operation: operationOf(definition),
    schema: (schemas) => bodySchema(definition, schemas),
    parse(http) {
      const {
        site,
        maxAge,
        hasSnakeCaseKeys,
        supported: _,
        ...variables
      } = readRequest(http, (read) => ({
        site: () => readTarget(read, target),
        ...Object.fromEntries(
          Object.entries(parameters).map(([name, parameter]) => [name, () => parameter.read(read)]),
        ),
        supported: () => rejectUnsupported(unsupported, read),
        maxAge: read.maxAge,
      }));
      return {
        names: {
          namesParam: 'domain',
          paramNames: { host: 'domain', first: 'limit', after: 'cursor' },
        },
        variables: { ...site, ...variables, maxAge },
        hasSnakeCaseKeys,
        render: createBody(definition, { ...site, ...variables }),
      };
    },
  });
}

/** Selects what all results about sites have, with the keys of REST bodies. */
const commonSelection = `${problemSelection} cached checked_at: checkedAt fresh_until: freshUntil latency_ms: latencyMs`;

function operationOf({ lookup, target, parameters = {}, selection }: SiteEndpoint<never>): string {
  const url = target === undefined ? {} : { url: 'String' };
  const siteVariables = { host: 'String', ...url };
  const types = Object.entries(parameters).map(([name, { type }]) => [name, type] as const);
  const variables = { ...Object.fromEntries(types), maxAge: 'Int' };
  const declared = Object.entries({ ...siteVariables, ...variables })
    .map(([name, type]) => `$${name}: ${type}`)
    .join(', ');

  return `query SiteResult(${declared}) {
  site(${passed(siteVariables)}) { name result: ${lookup.name}(${passed(variables)}) { ${commonSelection} ${selection} } }
}`;
}

function passed(variables: object): string {
  return Object.keys(variables)
    .map((name) => `${name}: $${name}`)
    .join(', ');
}

/** The duration of a result, also where the public API has it. */
export const totalTime = shape.integer<SiteResult>(
  'How long the result took, in milliseconds.',
  ({ latency_ms: latency }) => Math.round(latency),
);

const problemMember: Members<SiteResult> = {
  problem: [
    {
      ...shape.objectOf({
        code: shape.text('A problem code.'),
        detail: shape.text('What happened.'),
      }),
      description: 'Why the site could not be read. Absent if it was read.',
    },
    ({ problem }) => (problem ? { code: problem.code, detail: problem.detail } : undefined),
    'optional',
  ],
};

const lastMembers: Members<SiteResult> = {
  ...shape.same('checked_at', 'cached'),
  latency_ms: totalTime,
};

/** The members of results that are in every body, or only in headers. */
const commonMembers = ['problem', 'cached', 'checked_at', 'fresh_until', 'latency_ms'];

function createBody<R extends object>(
  { members = {}, keepsResult = false }: SiteEndpoint<R>,
  variables: Variables,
): ParsedRestRequest['render'] {
  return (response) => {
    const { name, result } = (response as SiteResponse<R>).site;
    const { problem, fetch_state, outcome } = result;
    if (problem && !fetch_state && !outcome) throw failureOf(problem);

    const data = {
      ...result,
      ...(fetch_state && { fetch_state: lowerCase(fetch_state) }),
      domain: name,
      variables,
    };

    return {
      outcomes: [ageOf(result, problem ? undefined : result, problem?.code)],
      body: {
        domain: name,
        ...(keepsResult
          ? shape.change(data, members, [...commonMembers, 'variables'])
          : shape.render(members, data)),
        ...shape.render({ ...problemMember, ...lastMembers }, result),
      },
    };
  };
}

interface SiteResponse<R> {
  readonly site: { readonly name: string; readonly result: R & SiteResult };
}

function bodySchema<R extends object>(
  { name, members = {}, keepsResult = false }: SiteEndpoint<R>,
  { types, properties: { result } }: ShapeSource,
): JsonSchema {
  const properties = (types[shape.refName(result ?? {})]?.['properties'] ?? {}) as Properties;
  const hasState = 'fetch_state' in properties || 'outcome' in properties;
  const body = shape.print(
    { ...members, ...(hasState && problemMember), ...lastMembers },
    { properties, types },
    {
      domain: shape.text('The host name in A-labels.'),
      ...(keepsResult && shape.without(properties, commonMembers)),
    },
  );

  return shape.named(types, name, body);
}

/** When the site was read, where the public API has it. */
export const readAt: Members<object> = { meta: shape.object(shape.same('checked_at', 'cached')) };

/** Returns a member of the result that is a GraphQL enum. */
export function enumMember(key: string): Members<object> {
  return {
    [key]: [
      ({ properties }) => ({ ...properties[key] }),
      (data) => lowerCase(Reflect.get(data, key) as string | null),
    ],
  };
}

/** Returns a GraphQL enum value in lower case, as REST writes it. */
export function lowerCase(value: string | null | undefined): string | null {
  return value?.toLowerCase() ?? null;
}
