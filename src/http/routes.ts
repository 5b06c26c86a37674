import type { Clock } from '../clock.ts';
import type { OpenContext } from '../context.ts';
import type { Log } from '../log.ts';
import { Problem } from '../domain/problems.ts';
import type { Admission } from './middleware/load-shedder.ts';
import { tagger } from './response/etag.ts';
import type { AdmittedHandler, Handler } from './call.ts';
import { catalogueHandler } from './rest/catalogue-handler.ts';
import { docsHandlers, type DocsOptions } from './docs/handlers.ts';
import type { Schemas } from './graphql/operation/documents.ts';
import { graphiqlAssets, wantsPage } from './pages/graphiql-page.ts';
import { graphqlHandler } from './graphql/handler.ts';
import { health, Readiness } from './ops/health.ts';
import { metricsHandler, metricsPath, type MetricsOptions } from './ops/metrics-endpoint.ts';
import type { Authenticator } from './middleware/authenticate.ts';
import type { DeprecationUsage } from './middleware/deprecation-usage.ts';
import { restHandler } from './rest/handler.ts';
import {
  catalogueRoutes,
  restRoutes,
  unservedPaths,
  type RestOptions,
} from './rest/rest-routes.ts';
import { searchAssets } from './pages/search-page.ts';
import { TimeSlices } from './request/time-slices.ts';

export interface RouteOptions extends DocsOptions {
  readonly schemas: Schemas;
  readonly openContext: OpenContext;
  readonly authenticator: Authenticator;
  readonly isReady: () => Promise<boolean>;
  /** Settles when the list of registries is as good as it will be for now. */
  readonly settled: Promise<void>;
  readonly limits: Omit<RestOptions, 'docsUrl' | 'countAliases' | 'slices'>;
  /** Whether GraphQL clients may query the schema. */
  readonly introspection: boolean;
  /** What ETags cannot be made up without. */
  readonly tagSecret: string;
  readonly admission: Admission;
  readonly metrics: MetricsOptions;
  readonly deprecationUsage: DeprecationUsage;
  readonly clock: Clock;
  readonly log: Log;
}

/** The handlers of a path, by method. */
export type Methods = Partial<Record<'GET' | 'POST', Handler>>;

export type Routes = ReadonlyMap<string, Methods>;

type Route = readonly [path: string, methods: Methods];

/** Creates the handlers of all paths. */
export function createRoutes(options: RouteOptions): Routes {
  const access = new Access(options);
  const slices = new TimeSlices();
  const readiness = new Readiness(options.isReady, options.clock);
  return new Map<string, Methods>([
    ['/health', { GET: health }],
    ['/ready', { GET: () => readiness.respond() }],
    [metricsPath, { GET: metricsHandler(options.metrics) }],
    ...pageRoutes(options, access),
    ...graphqlRoutes(options, access, slices),
    ...restApiRoutes(options, access, slices),
    ...unservedPaths.map((path): Route => [path, { GET: access.notImplemented }]),
  ]);
}

function pageRoutes(options: RouteOptions, access: Access): readonly Route[] {
  const { page, assets } = searchAssets(options.graphiql);
  const handlers = [['/', page] as const, ...assets, ...docsHandlers(options)];
  return handlers.map(([path, handler]): Route => [path, { GET: access.withoutKey(handler) }]);
}

function graphqlRoutes(
  options: RouteOptions,
  access: Access,
  slices: TimeSlices,
): readonly Route[] {
  const { schemas, openContext, limits, introspection, tagSecret, graphiql, clock, log } = options;
  const tagOf = tagger(tagSecret);
  const graphql = access.authenticated(
    graphqlHandler({
      schemas,
      openContext,
      maxEntries: limits.maxInputs,
      slices,
      introspection,
      tagOf,
      clock,
      log,
    }),
  );
  if (!graphiql) return [['/graphql', { GET: graphql, POST: graphql }]];
  const { page, assets } = graphiqlAssets();
  const pageHandler = access.withoutKey(page);
  return [
    [
      '/graphql',
      { GET: (call) => (wantsPage(call) ? pageHandler(call) : graphql(call)), POST: graphql },
    ],
    ...assets.map(([path, handler]): Route => [path, { GET: access.withoutKey(handler) }]),
  ];
}

function restApiRoutes(
  options: RouteOptions,
  access: Access,
  slices: TimeSlices,
): readonly Route[] {
  const { schemas, openContext, limits, tagSecret, docsUrl, deprecationUsage, clock } = options;
  const countAliases: RestOptions['countAliases'] = (used, caller) =>
    deprecationUsage.count(used, caller);
  const tagOf = tagger(tagSecret);
  return [
    ...restRoutes({ ...limits, docsUrl, countAliases, slices }).map((route): Route => {
      const handler = restHandler(route, {
        schema: schemas.base,
        openContext,
        tagOf,
        clock,
        slices,
      });
      return [route.path, { [route.method]: access.authenticated(handler) }];
    }),
    ...catalogueRoutes.map((route): Route => {
      return [
        route.path,
        { GET: access.authenticated(catalogueHandler(route, { openContext, tagOf })) },
      ];
    }),
  ];
}

/** Checks before a handler whether a request is let in. */
class Access {
  readonly #options: RouteOptions;

  constructor(options: RouteOptions) {
    this.#options = options;
  }

  /** For lookups: authenticates, and waits until the list of registries is loaded. */
  authenticated(handler: AdmittedHandler): Handler {
    const { authenticator, admission, deprecationUsage, settled } = this.#options;
    return async (call) => {
      const admitted = await authenticator.authenticate(call);
      if (admitted.payer) call.whenDone(admission.countAccount(admitted.account));
      deprecationUsage.count(call.aliases, admitted.account);
      await settled;
      return handler(Object.assign(call, admitted));
    };
  }

  withoutKey(handler: Handler): Handler {
    return (call) => {
      this.#options.authenticator.countAddress(call);
      return handler(call);
    };
  }

  readonly notImplemented: Handler = (call) => {
    const { authenticator, deprecationUsage } = this.#options;
    deprecationUsage.count(call.aliases, authenticator.countAddress(call));
    throw new Problem(
      'not_implemented',
      `${call.path} is part of the API, but this gateway does not serve it.`,
    );
  };
}
