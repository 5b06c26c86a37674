import type { Clock } from '../../clock.ts';
import { Problem, missingParameter } from '../../domain/problems.ts';
import type { Execution } from '../../execution/execution.ts';
import { dataOf } from '../../execution/result.ts';
import {
  jsonResponse,
  type AuthenticatedHandler,
  type AuthenticatedRequest,
  type Handler,
  type HttpRequestContext,
  type HttpResponse,
} from '../../server/http-request-context.ts';
import { isRdapPath } from '../../server/messages/api-paths.ts';
import type { EtagFactory } from '../../server/messages/etag.ts';
import { ageHeaders } from '../../server/messages/freshness.ts';
import { acceptsOneOf, languagesOf } from '../../server/messages/media-types.ts';
import { readMaxAgeParameter, singleValue } from '../../server/messages/parameters.ts';
import { respondConditionally, unwrapRun } from '../../server/messages/run-response.ts';
import { rdapLookups, type Directories, type RdapAnswer, type RdapLookup } from './rdap-lookups.ts';
import {
  baseConformance,
  pageLink,
  rdapErrorResponse,
  rdapJson,
  relayedObject,
  responseUrl,
  sourceNotice,
  type Notice,
} from './rdap-responses.ts';

export interface RdapRouteOptions {
  readonly execution: Execution;
  readonly etagOf: EtagFactory;
  readonly clock: Clock;
  readonly docsUrl: () => string;
  readonly baseUrl: () => string;
  /** Whether objects are relayed, or requests are redirected to the registry. */
  readonly mode: 'relay' | 'redirect';
  readonly directories: Directories;
  /** Wraps a handler that needs a key. */
  readonly authenticated: (handler: AuthenticatedHandler) => Handler;
  /** Wraps a handler that needs none. */
  readonly withoutKey: (handler: Handler) => Handler;
}

/** A route for all paths that start with it. */
interface RdapRoute {
  readonly name: string;
  readonly handler: Handler;
}

/** Returns a function that finds the route of a path; undefined outside of `/rdap`. */
export function rdapRoutes(options: RdapRouteOptions): (path: string) => RdapRoute | undefined {
  const { withoutKey } = options;
  const routes = new Map<string, RdapRoute>([
    ...rdapLookups.map((lookup) => route(lookup.type, lookupHandler(lookup, options))),
    route('help', withoutKey(helpHandler(options))),
    ...searches.map((search) => route(search, withoutKey(rejectSearch))),
  ]);
  const unknown = { name: '/rdap', handler: withoutKey(rejectUnknown) };

  return (path) => {
    if (!isRdapPath(path)) return undefined;
    const [type = '', ...rest] = pathBelow(path).split('/');
    return (type === 'help' && rest.length > 0 ? undefined : routes.get(type)) ?? unknown;
  };
}

/** Returns what follows `/rdap/`, without the slash that some clients put at the end. */
function pathBelow(path: string): string {
  return path.slice('/rdap/'.length).replace(/\/$/, '');
}

function route(type: string, handler: Handler): [string, RdapRoute] {
  return [type, { name: `/rdap/${type}`, handler }];
}

/** RFC 9082 section 3.2. */
const searches = ['domains', 'nameservers', 'entities', 'ips', 'autnums'];

/** Runs the GraphQL resolvers, so all APIs return the same data. */
function lookupHandler(lookup: RdapLookup, options: RdapRouteOptions): Handler {
  const { execution, mode, directories, authenticated } = options;
  return authenticated(async (request) => {
    checkAccept(request);
    const parsed = lookup.parse(readArgument(request.path, lookup));
    const location = mode === 'redirect' ? await parsed.registryUrl(directories) : null;
    if (location !== null)
      return { status: 302, headers: { location, 'cache-control': 'no-store' } };

    const maxAge = readMaxAgeParameter(singleValue(request.query, 'max_age'));
    const saved = execution.saved(parsed.operation);
    const operation = saved.coerce({ ...parsed.variables, maxAge });
    const runOptions = { mode: 'buffered', language: languagesOf(request) } as const;
    const result = await execution.run(operation, request, runOptions, (executed) => {
      const answer = parsed.readAnswer(dataOf(executed));
      return respondConditionally(relayed(answer, maxAge, request, options), request);
    });

    return unwrapRun(result, request);
  });
}

function relayed(
  answer: RdapAnswer,
  maxAge: number | undefined,
  { path, payer }: AuthenticatedRequest,
  { etagOf, clock, docsUrl, baseUrl }: RdapRouteOptions,
): HttpResponse {
  const { result, sourceUrl, age } = answer;
  const url = responseUrl(baseUrl(), path);
  const notice = sourceNotice(answer, url);
  const cacheHeaders = ageHeaders([age], maxAge, clock.now());
  if ('problem' in result) {
    // Conditions apply only to successful responses (RFC 9110 section 13.2.1), so there is no tag.
    const options = { docsUrl: docsUrl(), url, notices: [notice], headers: cacheHeaders };
    return rdapErrorResponse(result.problem, options);
  }

  return jsonResponse(200, relayedObject(result.object, notice), {
    ...cacheHeaders,
    'content-type': rdapJson,
    etag: etagOf({ object: result.object, sourceUrl, stale: age.stale }, payer?.id),
  });
}

/** Returns what follows the type in a path, decoded. Throws `Problem`. */
function readArgument(path: string, { type, argument }: RdapLookup): string {
  const rest = pathBelow(path).slice(type.length + 1);
  if (rest === '') throw missingParameter(argument);
  try {
    return decodeURIComponent(rest);
  } catch {
    throw new Problem('invalid_parameter', 'The path is not valid percent-encoded UTF-8.');
  }
}

/** The media types that a request may ask for (RFC 7480 section 4.2). */
const acceptable = [rdapJson, 'application/json'];

function checkAccept(request: HttpRequestContext): void {
  if (!acceptsOneOf(acceptable, request))
    throw new Problem('not_acceptable', `Accept ${acceptable.join(' or ')}.`);
}

function rejectSearch({ path }: HttpRequestContext): never {
  const detail = `${path} is a search. This server supports lookups only; see /rdap/help.`;
  throw new Problem('not_implemented', detail);
}

/** A request that is not an RDAP query gets a 400, not a 404 (RFC 7480 section 5.4). */
function rejectUnknown(): never {
  const detail = `This path is not an RDAP lookup. Use ${lookupPaths} or /rdap/help.`;
  throw new Problem('invalid_parameter', detail);
}

const lookupPaths = rdapLookups.map(({ type, argument }) => `/rdap/${type}/${argument}`).join(', ');

/** Responds to `/rdap/help` (RFC 9083 section 7). */
function helpHandler({ mode, docsUrl, baseUrl }: RdapRouteOptions): Handler {
  return (request) => {
    checkAccept(request);
    const url = responseUrl(baseUrl(), request.path);
    const notices: readonly Notice[] = [
      {
        title: 'About this service',
        description: [
          'This RDAP Gateway is not a registry. It finds the responsible registry for each request.',
          modeTexts[mode],
        ],
        links: [pageLink(url, `${docsUrl()}/rdap-endpoint`)],
      },
      {
        title: 'Lookups',
        description: [`Supported: ${lookupPaths}. Searches are not supported.`],
      },
      {
        title: 'Terms of use',
        description: [
          'The data belong to the registries. Their terms, which their notices state, also apply to objects that are relayed.',
          'Lookups may need an API key and cost credits, and the number of requests is limited.',
        ],
        links: [pageLink(url, docsUrl())],
      },
    ];
    const body = { rdapConformance: [baseConformance], lang: 'en', notices };

    return jsonResponse(200, body, {
      'content-type': rdapJson,
      'cache-control': 'public, max-age=3600',
    });
  };
}

const modeTexts = {
  relay:
    'It relays the object that the registry returned, from its cache or from the registry, and adds a notice with the source and the time.',
  redirect: 'It redirects to the server of the registry.',
} as const;
