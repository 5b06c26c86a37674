import type { GraphQLSchema } from 'graphql';
import type { Clock } from '../clock.ts';
import type { OpenContext } from '../context.ts';
import type { Log } from '../log.ts';
import { Problem } from '../problems.ts';
import type { AdmittedHandler, Call, Handler, Reply } from './call.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import { graphiqlAssets } from './graphiql.ts';
import { graphqlDoor, graphqlRefusal } from './graphql.ts';
import type { Guard } from './guard.ts';
import { health, readiness } from './health.ts';
import { problemReply } from './problem.ts';
import { restHandler } from './rest.ts';
import { restRoutes, unservedPaths, type RestLimits } from './rest-routes.ts';
import type { Door } from './server.ts';

export interface DoorOptions {
  readonly schemas: { readonly base: GraphQLSchema; readonly full: GraphQLSchema };
  readonly openContext: OpenContext;
  readonly guard: Guard;
  readonly isReady: () => Promise<boolean>;
  /** Settles when the list of registries is as good as it will be for now. */
  readonly settled: Promise<void>;
  readonly limits: RestLimits;
  readonly corsOrigins: readonly string[];
  readonly docsUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

type Methods = Partial<Record<'GET' | 'POST', Handler>>;

/** Every path, and who answers there. */
export function createDoors(options: DoorOptions): Door {
  const paths = routes(options);
  return {
    async answer(call) {
      const methods = paths.get(call.path);
      if (!methods) throw new Problem('not_found', `There is nothing at ${call.path}.`);
      const allow = allowed(methods);
      if (call.method === 'OPTIONS') return { status: 204, headers: { allow, ...preflightHeaders(allow) } };
      const handler = call.method === 'GET' || call.method === 'POST' ? methods[call.method] : undefined;
      if (!handler) throw new Problem('method_not_allowed', `${call.path} takes ${allow}.`, { allow });
      return handler(call);
    },
    refuse: (problem, call) => refusal(problem, call, options),
    refuseUnread: (problem, requestId) => problemReply(problem, { docsUrl: options.docsUrl(), path: '', requestId }),
    headers: (origin) => corsHeaders(origin, options.corsOrigins),
  };
}

function routes(options: DoorOptions): ReadonlyMap<string, Methods> {
  const { schemas, openContext, guard, settled, limits, clock, log } = options;
  /** What is asked of registries: for those who are let in, and once it is known which registries there are. */
  const guarded =
    (handler: AdmittedHandler): Handler =>
    async (call) => {
      const admitted = await guard(call);
      await settled;
      return handler({ ...call, ...admitted });
    };
  const graphql = guarded(graphqlDoor(schemas.full, openContext, log));
  const { page, assets } = graphiqlAssets();
  return new Map<string, Methods>([
    ['/health', { GET: health }],
    ['/ready', { GET: readiness(options.isReady) }],
    ['/graphql', { GET: (call) => (wantsPage(call) ? page(call) : graphql(call)), POST: graphql }],
    ...assets.map(([path, handler]) => [path, { GET: handler }] as const),
    ...restRoutes(limits).map((route): [string, Methods] => [
      route.path,
      { [route.method]: guarded(restHandler(schemas.base, route, openContext, clock)) },
    ]),
    ...unservedPaths.map((path): [string, Methods] => [path, { GET: notImplemented }]),
  ]);
}

/** A person with a browser, not a program. */
function wantsPage({ request, query }: Call): boolean {
  return !query.has('query') && request.headers.accept?.includes('text/html') === true;
}

function notImplemented({ path }: Call): never {
  throw new Problem('not_implemented', `${path} is part of the API, but this gateway does not serve it.`);
}

function allowed(methods: Methods): string {
  return [methods.GET && 'GET, HEAD', methods.POST && 'POST', 'OPTIONS'].filter(Boolean).join(', ');
}

function refusal(problem: Problem, call: Call, { docsUrl }: DoorOptions): Reply {
  if (call.path === '/graphql') return graphqlRefusal(problem, call);
  return problemReply(problem, { docsUrl: docsUrl(), path: call.path, requestId: call.requestId });
}
