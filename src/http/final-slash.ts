import { basename } from 'node:path';
import type { Call, Reply } from './call.ts';
import { wantsPage } from './graphiql.ts';

/** Leads a reader to the page that is meant by a path with a slash too many; undefined where none is, and for programs at `/graphql`. */
export function withoutFinalSlash(call: Call, isThere: (path: string) => boolean): Reply | undefined {
  const path = call.path.replace(/\/$/, '');
  const isPage = path === '/graphql' ? wantsPage(call) : /^\/docs(?:\/|$)/.test(path);
  if (call.method !== 'GET' || path === call.path || !isPage || !isThere(path)) return undefined;
  // As seen from the path with the slash, so that a gateway behind a path of a proxy finds its pages too.
  return { status: 308, headers: { location: `../${basename(path)}`, 'cache-control': 'no-cache', vary: 'Accept' } };
}
