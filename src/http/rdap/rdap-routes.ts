import { Problem } from '../../domain/problems.ts';
import type { AuthenticatedHandler, Handler, HttpRequestContext } from '../http-request-context.ts';
import { acceptsOneOf } from '../messages/media-types.ts';
import { missingParameter } from '../messages/parameters.ts';
import { helpResponse, type RelayMode } from './help.ts';
import type { Directories, RdapLookup } from './rdap-lookup.ts';
import { rdapLookups } from './rdap-lookups.ts';
import { isRdapPath, rdapJson } from './rdap-path.ts';
import { Relay, type RelayOptions } from './relay.ts';

export interface RdapRouteOptions extends RelayOptions {
  readonly mode: RelayMode;
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
    const [, , type = '', ...rest] = path.split('/');
    const found = routes.get(type);
    const takesArgument = rdapLookups.some((lookup) => lookup.type === type);
    return found && (takesArgument || rest.length === 0) ? found : unknown;
  };
}

function route(type: string, handler: Handler): [string, RdapRoute] {
  return [type, { name: `/rdap/${type}`, handler }];
}

/** RFC 9082 section 3.2. */
const searches = ['domains', 'nameservers', 'entities', 'ips', 'autnums'];

function lookupHandler(lookup: RdapLookup, options: RdapRouteOptions): Handler {
  const relay = new Relay(lookup, options);
  const { mode, directories, authenticated } = options;
  return authenticated(async (request) => {
    checkAccept(request);
    const parsed = lookup.parse(readArgument(request.path, lookup));
    const location = mode === 'redirect' ? await parsed.registryUrl(directories) : null;
    return location === null
      ? relay.respond(parsed, request)
      : { status: 302, headers: { location, 'cache-control': 'no-store' } };
  });
}

function helpHandler({ mode, docsUrl, urlOf }: RdapRouteOptions): Handler {
  return (request) => {
    checkAccept(request);
    return helpResponse({ mode, docsUrl: docsUrl(), url: urlOf(request.path) });
  };
}

/** Returns what follows the type in a path, decoded. Throws `Problem`. */
function readArgument(path: string, { type, argument }: RdapLookup): string {
  const rest = path.slice(`/rdap/${type}/`.length);
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
  const paths = rdapLookups.map(({ type, argument }) => `/rdap/${type}/${argument}`);
  const detail = `This path is not an RDAP lookup. Use ${paths.join(', ')} or /rdap/help.`;
  throw new Problem('invalid_parameter', detail);
}
